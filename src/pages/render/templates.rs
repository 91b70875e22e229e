//! Tera: the built-in templates, the site's own, and the shell around every page.

use std::collections::BTreeMap;

use include_dir::{Dir, include_dir};
use serde::Serialize;
use tera::{Context, Tera};

use crate::feeds::json_ld;
use crate::view::Link;

use crate::view::chrome::{AssetLinks, NavItem, Navigation, PageInfo, ShellView, head};
use base::diagnostics::{Diagnostic, Place, codes};
use base::links;
use formats::config::Config;

use super::inline;
use super::minify;
use super::own_templates::{TemplateError, UserTemplate};
use super::slots::Slots;
use super::squeeze::squeezed;
use markup::Html;
use markup::escape::escape_for_template;

/// The built-in templates. A template of the site with the same name takes precedence, and may extend `builtin/<name>`.
static BUILT_IN: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../templates");

/// Names of the templates below a folder, with their text.
fn texts(folder: &'static Dir<'_>) -> Vec<(&'static str, &'static str)> {
    let below = folder.dirs().flat_map(texts);
    let own = folder.files();
    own.filter_map(|file| Some((file.path().to_str()?, file.contents_utf8()?)))
        .chain(below)
        .collect()
}

/// Prefix of the built-in templates.
const PREFIX: &str = "builtin/";
/// Placeholders for head and page in the shell, as text that the minifier leaves alone.
const HEAD_SLOT: &str = "<title>runpress-head-slot</title>";
/// Followed by a digest of the settings, so that no setting can contain it.
const MAIN_SLOT: &str = "runpress-main-slot-";
/// Initial capacity for the output of a template, in bytes.
const MAIN: usize = 32 * 1024;
/// Initial capacity for the head of a page, in bytes.
const HEAD: usize = 4 * 1024;

/// The deepest page: `runs/<slug>/events/<tape>/<number>/index.html`.
fn deepest(config: &Config) -> usize {
    5 + usize::from(!config.publish.run_folders.is_flat())
}

/// Renders pages. Immutable, and shared by all threads.
#[derive(Debug)]
pub struct Renderer {
    tera: Tera,
    config: Config,
    assets: AssetLinks,
    user: Vec<UserTemplate>,
    nav: Navigation,
    /// Minified shells split at their placeholders, by depth and navigation entry.
    shells: BTreeMap<(usize, Option<String>), Shell>,
    not_found: Shell,
}

/// The three parts of a shell: before the head, between head and page, after the page.
#[derive(Debug)]
struct Shell([String; 3]);

impl Renderer {
    /// Parses all templates in one batch, and renders the shells.
    pub fn new(
        config: &Config,
        user: Vec<UserTemplate>,
        nav: Navigation,
        assets: &AssetLinks,
    ) -> Result<Self, Diagnostic> {
        let mut tera = Tera::default();
        tera.set_fallback_prefixes([PREFIX])
            .map_err(|error| invalid(&user, &error))?;
        tera.autoescape_on(vec![".html", ".htm", ".xml", ".svg"]);
        tera.set_escape_fn(escape_for_template);
        let texts = texts(&BUILT_IN);
        let small = inline::small_components(&texts, &user);
        let built_in = texts.iter().map(|(name, text)| {
            let text = inline::inlined(text, &small);
            let is_page = config.build.minify && name.strip_suffix(".html").is_some();
            let text = if is_page { squeezed(&text) } else { text };
            (format!("{PREFIX}{name}"), text)
        });
        let own = user
            .iter()
            .map(|template| (template.name.clone(), template.text.clone()));
        tera.add_raw_templates(built_in.chain(own))
            .map_err(|error| invalid(&user, &error))?;
        let mut renderer = Self {
            tera,
            config: config.clone(),
            assets: assets.clone(),
            user,
            nav,
            shells: BTreeMap::new(),
            not_found: Shell(Default::default()),
        };
        let entries = renderer.nav.main.iter().map(|link| Some(link.href.clone()));
        let entries: Vec<_> = std::iter::once(None).chain(entries).collect();
        for depth in 0..=deepest(config) {
            let root = "../".repeat(depth);
            for current in &entries {
                let shell = renderer.shell(&root, current.as_deref())?;
                renderer.shells.insert((depth, current.clone()), shell);
            }
        }
        renderer.not_found = renderer.shell(&renderer.not_found_root(), None)?;
        Ok(renderer)
    }

    /// Whether all templates are built in: these cannot fail, whatever is recorded.
    pub const fn is_built_in(&self) -> bool {
        self.user.is_empty()
    }

    /// Absolute path of the site's root, for links on the not-found page.
    fn not_found_root(&self) -> String {
        self.config
            .site
            .base_url
            .as_ref()
            .map_or_else(|| "/".to_owned(), |base| base.path().to_owned())
    }

    /// Names of the templates of the site that differ from those that are built in.
    pub fn own_templates(&self) -> Vec<&str> {
        let texts = texts(&BUILT_IN);
        let differs =
            |own: &&UserTemplate| !texts.contains(&(own.name.as_str(), own.text.as_str()));
        let own = self.user.iter().filter(differs);
        own.map(|own| own.name.as_str()).collect()
    }

    pub fn page(
        &self,
        template: &str,
        info: &PageInfo,
        view: &impl Serialize,
    ) -> Result<Vec<u8>, Diagnostic> {
        self.page_with(template, info, view, &Slots::default())
    }

    /// Renders a page with large HTML.
    pub fn page_with(
        &self,
        template: &str,
        info: &PageInfo,
        view: &impl Serialize,
        slots: &Slots,
    ) -> Result<Vec<u8>, Diagnostic> {
        let depth = info.path.matches('/').count();
        let section = info.section();
        let entry = section.and_then(|section| Some(self.nav.entry_of(&section)?.to_owned()));
        let shell = self
            .shells
            .get(&(depth, entry))
            .or_else(|| self.shells.get(&(depth, None)))
            .unwrap_or(&self.not_found);
        let root = links::root(&info.path);
        self.fill(shell, template, info, &root, view, slots)
    }

    /// Renders the not-found page, which may be shown at any depth.
    pub fn not_found(
        &self,
        template: &str,
        info: &PageInfo,
        view: &impl Serialize,
    ) -> Result<Vec<u8>, Diagnostic> {
        let root = self.not_found_root();
        self.fill(
            &self.not_found,
            template,
            info,
            &root,
            view,
            &Slots::default(),
        )
    }

    /// Renders a document without a shell: a feed, or a list for programs.
    pub fn document(&self, template: &str, view: &impl Serialize) -> Result<Vec<u8>, Diagnostic> {
        let mut out = Vec::new();
        self.render(template, view, &mut out)?;
        Ok(out)
    }

    fn fill(
        &self,
        shell: &Shell,
        template: &str,
        info: &PageInfo,
        root: &str,
        view: &impl Serialize,
        slots: &Slots,
    ) -> Result<Vec<u8>, Diagnostic> {
        let [before, between, after] = &shell.0;
        let mut main = Vec::with_capacity(MAIN);
        let mut context = self.context(template, view)?;
        context.insert("root", root);
        self.render_in(template, &context, &mut main)?;
        let frame = before.len() + between.len() + after.len() + HEAD;
        let mut out = Vec::with_capacity(frame + main.len() + slots.len());
        let json_ld = info.json_ld.as_deref().map(json_ld::element);
        out.extend_from_slice(before.as_bytes());
        self.render(
            "head.html",
            &head(&self.config, &self.assets, info, root, json_ld),
            &mut out,
        )?;
        out.extend_from_slice(between.as_bytes());
        slots.fill(&main, &mut out);
        out.extend_from_slice(after.as_bytes());
        Ok(out)
    }

    fn render(
        &self,
        template: &str,
        view: &impl Serialize,
        out: &mut Vec<u8>,
    ) -> Result<(), Diagnostic> {
        self.render_in(template, &self.context(template, view)?, out)
    }

    fn context(&self, template: &str, view: &impl Serialize) -> Result<Context, Diagnostic> {
        Context::from_serialize(view).map_err(|error| self.render_error(template, &error))
    }

    fn render_in(
        &self,
        template: &str,
        context: &Context,
        out: &mut Vec<u8>,
    ) -> Result<(), Diagnostic> {
        self.tera
            .render_to(template, context, out)
            .map_err(|error| self.render_error(template, &error))
    }

    fn shell(&self, root: &str, current: Option<&str>) -> Result<Shell, Diagnostic> {
        let digest = blake3::hash(format!("{:?}", self.config).as_bytes()).to_hex();
        let main_slot = format!("{MAIN_SLOT}{digest}");
        let address = |href: &str| {
            if href.contains("://") {
                href.to_owned()
            } else {
                format!("{root}{href}")
            }
        };
        let is_current = |link: &Link| current == Some(link.href.as_str());
        let item = |link: &Link| NavItem {
            text: link.text.clone(),
            href: address(&link.href),
            current: is_current(link),
        };
        let site = &self.config.site;
        let view = ShellView {
            language: site.language.clone(),
            site_title: site.title.clone(),
            notice: site.notice.clone(),
            nav: self.nav.main.iter().map(item).collect(),
            author: site.author.clone(),
            licence: self.config.policy.licence.clone(),
            canary: self.config.policy.canary.clone(),
            assets: AssetLinks {
                styles: self
                    .assets
                    .styles
                    .iter()
                    .map(|path| address(path))
                    .collect(),
                scripts: BTreeMap::new(),
                icon: address(&self.assets.icon),
            },
            head: Html::finished(HEAD_SLOT.to_owned()),
            main: Html::finished(main_slot.clone()),
            root: root.to_owned(),
        };
        let mut html = Vec::new();
        self.render("shell.html", &view, &mut html)?;
        let html = String::from_utf8_lossy(&html).into_owned();
        let html = if self.config.build.minify {
            minify::shell(&html)
        } else {
            html
        };
        let parts = html.split_once(HEAD_SLOT).and_then(|(before, rest)| {
            let (between, after) = rest.split_once(main_slot.as_str())?;
            let once = !after.contains(main_slot.as_str()) && !rest.contains(HEAD_SLOT);
            once.then(|| Shell([before.to_owned(), between.to_owned(), after.to_owned()]))
        });
        parts.ok_or_else(|| {
            codes::TEMPLATE_MISSING_SLOT.at(
                Place::file(self.path_of("shell.html")),
                "The shell must print `{{ head }}` inside `<head>` and `{{ main }}` where the page goes, each once",
                "Add the missing one; `{% extends \"builtin/shell.html\" %}` keeps both.",
            )
        })
    }

    fn path_of(&self, template: &str) -> String {
        let own = self.user.iter().find(|user| user.name == template);
        own.map_or_else(
            || format!("templates/{template} (built in)"),
            |user| user.shown.clone(),
        )
    }

    fn render_error(&self, template: &str, error: &tera::Error) -> Diagnostic {
        let error = TemplateError::of(error, &self.user);
        codes::TEMPLATE_RENDER.at(
            error
                .place
                .unwrap_or_else(|| Place::file(self.path_of(template))),
            format!("The template cannot be rendered: {}", error.message),
            "Correct the template, or remove it to use the built-in one.",
        )
    }
}

fn invalid(user: &[UserTemplate], error: &tera::Error) -> Diagnostic {
    let error = TemplateError::of(error, user);
    codes::TEMPLATE_INVALID.at(
        error.place.unwrap_or_else(|| Place::file("templates")),
        format!("The template cannot be read: {}", error.message),
        "Correct the template, or remove it to use the built-in one.",
    )
}
