//! Codes of templates and static files.

family! { ALL:
    TEMPLATE_INVALID = "template.invalid" Error "a template cannot be read"
        why "Templates in `templates/` replace built-in templates of the same name. This one has a syntax error, or uses a template, component or filter that does not exist."
        bad "{% if run.title %}"
        good "{% if run.title %}{{ run.title }}{% endif %}";
    TEMPLATE_RENDER = "template.render" Error "a template cannot be rendered"
        why "The template uses a field that its page does not have. The message lists the available fields."
        bad "{{ run.titel }}"
        good "{{ run.title }}";
    TEMPLATE_MISSING_SLOT = "template.missing-slot" Error "the shell is missing a slot"
        why "`shell.html` is the frame of every page. It must print `{{ head }}` inside `<head>` and `{{ main }}` in the body, each once; the page is inserted after the frame is minified."
        bad "<body></body>"
        good "<body>{{ main }}</body>";
    TEMPLATE_UNREADABLE = "template.unreadable" Error "a template or static file cannot be read"
        why "A file in `templates/` or `static/` cannot be read, or a template is not UTF-8."
        bad "templates/run.html without read permission"
        good "templates/run.html, readable, UTF-8";
}
