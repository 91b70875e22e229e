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
    #[cfg(feature = "minify")]
    {
        let mut config = minify_html::Cfg::new();
        config.minify_css = true;
        config.keep_closing_tags = true;
        let html = minify_html::minify(format!("<style>{css}</style>").as_bytes(), &config);
        let html = String::from_utf8(html).unwrap_or_default();
        match html
            .strip_prefix("<style>")
            .and_then(|rest| rest.strip_suffix("</style>"))
        {
            Some(small) if !small.is_empty() => small.to_owned(),
            _ => css.to_owned(),
        }
    }
    #[cfg(not(feature = "minify"))]
    {
        css.to_owned()
    }
}
