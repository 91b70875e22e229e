//! Codes of templates and static files.
use super::family;

family! { ALL:
    TEMPLATE_INVALID = "template.invalid" Error "a template cannot be read"
        why "Templates in `templates/` replace built-in ones of the same name. This one has a syntax error, or names a template, component or filter that does not exist."
        bad "{% if run.title %}"
        good "{% if run.title %}{{ run.title }}{% endif %}";
    TEMPLATE_RENDER = "template.render" Error "a template cannot be rendered"
        why "The template asks for a field that its page does not have. The message names those that exist."
        bad "{{ run.titel }}"
        good "{{ run.title }}";
    TEMPLATE_MISSING_SLOT = "template.missing-slot" Error "the shell lacks a slot"
        why "`shell.html` is the frame of every page. It must print `{{ head }}` inside `<head>` and `{{ main }}` where the page goes, each once; the page is put there after the frame is minified."
        bad "<body></body>"
        good "<body>{{ main }}</body>";
    TEMPLATE_UNREADABLE = "template.unreadable" Error "a template or static file cannot be read"
        why "A file in `templates/` or `static/` cannot be read, or a template is not UTF-8."
        bad "templates/run.html without read permission"
        good "templates/run.html, readable, UTF-8";
}
