//! Minifies the page shell, style sheets and scripts. Never used on recorded text.

/// Minifies the page shell; unchanged without the feature `minify`.
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

/// Minifies a style sheet; unchanged without the feature `minify`.
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
            Some(small) if !small.is_empty() => without_ampersands(small),
            _ => css.to_owned(),
        }
    }
    #[cfg(not(feature = "minify"))]
    {
        css.to_owned()
    }
}

/// Removes `& ` where a nested selector begins, since it means the same without. Strings stay as they are.
#[cfg(feature = "minify")]
fn without_ampersands(css: &str) -> String {
    let mut is_string = false;
    let parts = css.split('"').map(|part| {
        let text = if is_string {
            part.to_owned()
        } else {
            part.replace("{& ", "{")
                .replace("}& ", "}")
                .replace(";& ", ";")
        };
        // An escaped quote does not end a string.
        is_string = !is_string || part.ends_with('\\');
        text
    });
    parts.collect::<Vec<_>>().join("\"")
}

/// Minifies a script; unchanged if it cannot be parsed, or without the feature `minify`. Only for the built-in scripts, whose
/// minified form is tested.
///
/// minify-html does not pass shortened local names to the code generator, although they save a quarter of a script, so its steps
/// are called here directly.
pub fn script(js: &str) -> String {
    #[cfg(feature = "minify")]
    {
        use oxc_minifier::{CompressOptions, MangleOptions, Minifier, MinifierOptions};

        let memory = oxc_allocator::Allocator::default();
        // All scripts of a page share the top-level names of a classic script, so these must stay.
        let parsed = oxc_parser::Parser::new(&memory, js, oxc_span::SourceType::cjs()).parse();
        if parsed.panicked || !parsed.errors.is_empty() {
            return js.to_owned();
        }
        let mut program = parsed.program;
        let options = MinifierOptions {
            mangle: Some(MangleOptions::default()),
            compress: Some(CompressOptions::safest()),
        };
        let names = Minifier::new(options).minify(&memory, &mut program).scoping;
        oxc_codegen::Codegen::new()
            .with_options(oxc_codegen::CodegenOptions::minify())
            .with_scoping(names)
            .build(&program)
            .code
    }
    #[cfg(not(feature = "minify"))]
    {
        js.to_owned()
    }
}

#[cfg(all(test, feature = "minify"))]
mod tests {
    use super::*;

    #[test]
    fn local_names_become_short_and_names_at_the_top_of_a_script_stay() {
        let small = script(
            "const shared = 1;\nfunction offered(argument) { return argument + shared; }\n(() => {\n  'use strict';\n  // Why.\n  const local = document.title;\n  const { make } = window.runpress;\n  make('p', { local, inner: local.length });\n})();\n",
        );
        for name in [
            "shared",
            "offered",
            "\"use strict\"",
            ".runpress",
            "make:",
            "local:",
            "inner:",
        ] {
            assert!(small.contains(name), "{name}: {small}");
        }
        for name in ["argument", "make(", "Why", "\n"] {
            assert!(!small.contains(name), "{name}: {small}");
        }
    }

    #[test]
    fn a_script_that_cannot_be_parsed_stays_as_it_is() {
        for broken in ["const = 1;\n", "(() => {", "return { ;"] {
            assert_eq!(script(broken), broken);
        }
    }

    #[test]
    fn a_script_comes_out_the_same_each_time_and_is_not_made_smaller_twice() {
        for js in [
            include_str!("../../../static/js/compare.js"),
            include_str!("../../../static/js/search.js"),
        ] {
            let small = script(js);
            assert!(small.len() * 10 < js.len() * 7, "{}", small.len());
            assert_eq!(small, script(js));
            assert!(script(&small).len() <= small.len());
        }
    }

    #[test]
    fn a_style_sheet_keeps_its_rules() {
        assert_eq!(style_sheet("p {\n  color: red;\n}\n"), "p{color:red}");
        assert_eq!(style_sheet(""), "");
    }

    #[test]
    fn a_nested_selector_has_no_ampersand_that_means_nothing() {
        assert_eq!(
            style_sheet(
                "p { color: red; b { margin: 0 } & i { margin: 1px } &:hover { margin: 2px } }"
            ),
            "p{color:red;b{margin:0}i{margin:1px}&:hover{margin:2px}}"
        );
        let said = r#"p{content:"a\"};& b";i{content:"{& "}}"#;
        assert_eq!(style_sheet(said), said);
    }
}
