//! Knows how the page shell and the style sheets are made smaller. Recorded text never comes here.

/// A smaller page shell; the same shell when the feature `minify` is off.
#[must_use]
pub fn shell(html: &str) -> String {
    #[cfg(feature = "minify")]
    {
        let mut config = minify_html::Cfg::new();
        config.keep_closing_tags = true;
        config.keep_html_and_head_opening_tags = true;
        config.keep_input_type_text_attr = true;
        String::from_utf8(minify_html::minify(html.as_bytes(), &config))
            .unwrap_or_else(|_| html.to_owned())
    }
    #[cfg(not(feature = "minify"))]
    {
        html.to_owned()
    }
}

/// A smaller style sheet; the same sheet when the feature `minify` is off.
#[must_use]
pub fn style_sheet(css: &str) -> String {
    within("style", css)
}

/// A smaller script; the same script when the feature `minify` is off. Only for the built-in ones, which are tested as
/// they come out.
#[must_use]
pub fn script(js: &str) -> String {
    within("script", js)
}

fn within(tag: &str, text: &str) -> String {
    #[cfg(feature = "minify")]
    {
        let mut config = minify_html::Cfg::new();
        config.minify_css = true;
        config.minify_js = true;
        config.keep_closing_tags = true;
        let (open, close) = (format!("<{tag}>"), format!("</{tag}>"));
        let html = minify_html::minify(format!("{open}{text}{close}").as_bytes(), &config);
        let html = String::from_utf8(html).unwrap_or_default();
        match html
            .strip_prefix(&open)
            .and_then(|rest| rest.strip_suffix(&close))
        {
            Some(small) if !small.is_empty() => small.to_owned(),
            _ => text.to_owned(),
        }
    }
    #[cfg(not(feature = "minify"))]
    {
        let _ = tag;
        text.to_owned()
    }
}
