//! (edge) A site: its settings, rules, templates and static files, with command line overrides.

use std::path::{Path, PathBuf};

use crate::summary::hash_text;
use ::secrets::Mask;
use base::diagnostics::{Diagnostic, Place, Source, codes};
use base::pictures::StaticImages;
use base::url::HttpUrl;
use content::discover::{self, ContentRoots, Shard};
use content::load;
use formats::config::{self, Config, RunSelection};
use formats::rule_file;
use gate::Rules;
use pages::assets::{self, Assets};
use pages::render::UserTemplate;
use pages::render::single_file;
use pages::render::templates::Renderer;
use pages::view::Link;
use pages::view::chrome::navigation;
use store::cache::{self, CachePlaces};
use store::ledger;

use crate::lists;

/// A site, ready to be checked or built.
#[derive(Debug)]
pub struct Site {
    /// The folder with site.toml.
    pub root: PathBuf,
    /// Its settings.
    pub config: Config,
    /// The content roots.
    pub content: Vec<PathBuf>,
    /// The output folder.
    pub out: PathBuf,
    /// The command line overrides, as given.
    pub options: Overrides,
    /// The images among the static files.
    pub(crate) pictures: StaticImages,
    /// What the site expects of its runs.
    pub rules: Rules,
    /// The place of each `[[secrets.allow]]` in site.toml.
    pub(crate) allowances: Vec<Place>,
    /// The place of each `[[expect]]` in site.toml.
    pub(crate) expectations: Vec<Place>,
    /// The folder of the build cache.
    cache: PathBuf,
    templates: Vec<UserTemplate>,
    /// Paths of the site's own static files.
    statics: Vec<String>,
    /// The published form of static and built-in files, minified once per build.
    assets: Assets,
    /// A digest of the redaction key.
    pub(crate) redaction_key: [u8; 32],
}

/// Overrides from the command line. Paths are relative to the working directory.
#[derive(Debug, Default, Clone)]
pub struct Overrides {
    /// Replaces the configured content roots.
    pub content: Vec<PathBuf>,
    /// Replaces the configured output folder.
    pub out: Option<PathBuf>,
    /// Replaces the configured base URL.
    pub base_url: Option<HttpUrl>,
    /// Publish drafts.
    pub drafts: bool,
    /// Quarantine invalid runs.
    pub keep_going: bool,
    /// Treat warnings and quarantined runs as errors.
    pub deny_warnings: bool,
    /// Number of threads; 0 is one per core.
    pub jobs: usize,
    /// The site to compare with.
    pub previous: Option<PathBuf>,
    /// Read only the ledger of that site.
    pub fresh: bool,
    /// The root of the site before a contribution, to compare with.
    pub base: Option<PathBuf>,
    /// The address of the files of the root, for links in reports.
    pub source_url: Option<HttpUrl>,
    /// What is exported, in a program compiled with the feature `parquet`.
    pub export: Option<Export>,
    /// Build only the runs of this shard.
    pub shard: Option<Shard>,
    /// Records of runs whose content is on another machine.
    pub records: Option<PathBuf>,
}

/// An export, with its folder.
#[derive(Debug, Clone)]
pub enum Export {
    /// Tables, partitioned by case.
    Parquet(PathBuf),
    /// A dataset repository for the Hugging Face Hub.
    HuggingFace(PathBuf),
}

impl Export {
    /// The folder that is written.
    pub fn folder(&self) -> &PathBuf {
        match self {
            Self::Parquet(folder) | Self::HuggingFace(folder) => folder,
        }
    }
}

impl Site {
    /// Opens the site at `root`. Without site.toml, all settings have defaults.
    pub fn open(root: &Path, overrides: &Overrides) -> Result<Self, Vec<Diagnostic>> {
        let file = root.join(config::FILE_NAME);
        let text = match base::files::read(&file) {
            Ok(bytes) => String::from_utf8(bytes).map_err(|error| {
                let source = Source::file(config::FILE_NAME, error.as_bytes());
                let at = error.utf8_error().valid_up_to();
                vec![codes::CONFIG_SYNTAX.at(
                    source.place(at, at + 1),
                    "The file is not valid UTF-8",
                    source.help_for_utf8("Save site.toml as UTF-8."),
                )]
            })?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => {
                return Err(vec![codes::CONFIG_SYNTAX.at(
                    Place::file(config::FILE_NAME),
                    format!("The file cannot be read: {error}"),
                    "Replace site.toml with a regular, readable file.",
                )]);
            }
        };
        let (mut config, mut problems) = config::parse(config::FILE_NAME, &text);
        if !problems.is_empty() {
            let mask = Mask::of_site(config::FILE_NAME, text.as_bytes());
            mask.apply_all(&mut problems, "");
            return Err(problems);
        }
        if let Some(base_url) = &overrides.base_url {
            config.site.base_url = Some(base_url.clone());
        }
        config.policy.quarantine |= overrides.keep_going;
        if let Some(previous) = &overrides.previous
            && !previous.join(ledger::PATH).exists()
        {
            let shown = previous.strip_prefix(root).unwrap_or(previous);
            let problem = if previous.is_dir() {
                format!("The previous site has no ledger, `{}`", ledger::PATH)
            } else {
                "The previous site is not a folder".to_owned()
            };
            return Err(vec![codes::LEDGER_NO_SITE.at(
                Place::file(shown.to_string_lossy()),
                problem,
                "Name the folder of a site that runpress built, or omit `--previous` to start a new ledger.",
            )]);
        }
        let mut content = overrides.content.clone();
        if content.is_empty() {
            content.extend(config.build.content.iter().map(|path| root.join(path)));
        }
        let tree = |folder| load::files_below(root, folder).map_err(|problem| vec![problem]);
        let statics = tree("static")?;
        let rules = rules(root)?;
        let template = |name: String, bytes: Vec<u8>| {
            let shown = format!("templates/{name}");
            let text = String::from_utf8(bytes).map_err(|_| {
                vec![codes::TEMPLATE_UNREADABLE.at(
                    Place::file(&shown),
                    "The template is not valid UTF-8",
                    "Save it as UTF-8.",
                )]
            })?;
            Ok(UserTemplate { name, shown, text })
        };
        let files = tree("templates")?.into_iter();
        let templates = files.map(|(name, bytes)| template(name, bytes));
        let templates = templates.collect::<Result<_, Vec<_>>>()?;
        Ok(Self {
            root: root.to_owned(),
            content,
            out: overrides
                .out
                .clone()
                .unwrap_or_else(|| root.join(&config.build.out)),
            options: overrides.clone(),
            cache: root.join(cache::FOLDER),
            templates,
            rules,
            allowances: config::places_of("secrets.allow", config::FILE_NAME, &text),
            expectations: config::places_of("expect", config::FILE_NAME, &text),
            pictures: StaticImages::of(&statics),
            assets: assets::collect(&statics, config.build.minify),
            statics: statics.into_iter().map(|(path, _)| path).collect(),
            redaction_key: load::redaction_key_digest(root),
            config,
        })
    }

    /// The texts of the site's own templates.
    pub(crate) fn template_texts(&self) -> impl Iterator<Item = &str> {
        self.templates.iter().map(|template| template.text.as_ref())
    }

    /// The files of the site that are not content, unmodified, with their paths: static files, rules, templates and site.toml.
    pub(crate) fn own_files(&self) -> Result<Vec<(String, Vec<u8>)>, Diagnostic> {
        let folder = "static";
        let files = load::files_below(&self.root, folder)?.into_iter();
        let mut files: Vec<_> = files
            .map(|(path, bytes)| (format!("{folder}/{path}"), bytes))
            .collect();
        files.extend(rule_files(&self.root)?);
        let templates = self.templates.iter();
        files.extend(
            templates.map(|template| (template.shown.clone(), template.text.clone().into_bytes())),
        );
        if let Ok(settings) = base::files::read(&self.root.join(config::FILE_NAME)) {
            files.push((config::FILE_NAME.to_owned(), settings));
        }
        Ok(files)
    }

    /// A path relative to the site's root, if below it.
    pub fn shown(&self, path: &Path) -> String {
        let below = path.strip_prefix(&self.root).unwrap_or(path);
        below.to_string_lossy().into_owned()
    }

    /// The site to compare with, which may not exist. A shard has the addresses of the site that its merge replaces.
    pub fn previous(&self) -> PathBuf {
        match &self.options.previous {
            Some(previous) => previous.clone(),
            None if self.options.shard.is_some() => self.root.join(&self.config.build.out),
            None => self.out.clone(),
        }
    }

    /// Redirects output and cache into a folder of this one, but keeps comparing with the site in the configured one.
    pub fn build_aside(&mut self, folder: &Path, name: &str) {
        self.cache = folder.join(cache::FOLDER);
        let out = std::mem::replace(&mut self.out, folder.join(name));
        self.options.previous.get_or_insert(out);
    }

    /// Makes this a site of which [`share`](crate::share()) packs one run: with the built-in look, whole tapes on one page, and no
    /// files that are elsewhere. What is published of a run stays as the settings say.
    pub fn for_single_file(&mut self, folder: &Path) {
        let config = &mut self.config;
        config.timeline.page_size = usize::MAX;
        config.limits.inline = u64::MAX;
        config.limits.page = u64::MAX;
        config.limits.run = u64::MAX;
        config.site.base_url = None;
        config.site.stories = RunSelection::None;
        config.site.cards = RunSelection::None;
        config.publish.files_base_url = None;
        config.build.minify = true;
        self.templates = single_file::templates();
        self.statics = Vec::new();
        self.assets = Assets::default();
        self.build_aside(folder, "site");
    }

    /// Whether the build compares with the site it replaces, and has no other output.
    pub(crate) fn compares_with_itself(&self) -> bool {
        let options = &self.options;
        let is_alone = options.previous.is_none() && options.base.is_none();
        is_alone && options.export.is_none() && options.shard.is_none()
    }

    /// Where the cache may be: in the root of the site or, if that is read-only or the output folder is outside of it, next to
    /// the output folder. A root may have several output folders, so each has a file of its own.
    pub(crate) fn cache_places(&self) -> CachePlaces {
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let (own, out) = (absolute(&self.cache), absolute(&self.out));
        let root = own.parent().unwrap_or(&own);
        let (own, below) = match out.strip_prefix(root) {
            Ok(below) => (Some(own.clone()), below),
            Err(_) => (None, Path::new("")),
        };
        let digest = blake3::hash(below.as_os_str().as_encoded_bytes());
        let name = out.file_name().unwrap_or_default().to_string_lossy();
        let next_to_output = out.with_file_name(format!(".{name}.runpress"));
        CachePlaces {
            folders: own.into_iter().chain([next_to_output]).collect(),
            file_name: format!("build-{}", &digest.to_hex()[..16]),
        }
    }

    /// Scans the content.
    pub(crate) fn scan_content(&self) -> ContentRoots {
        let roots = ContentRoots::list(&self.content, cache::FOLDER);
        match &self.options.records {
            Some(records) => {
                roots.with_mirrors(&discover::mirrors(&self.root, &self.content, records))
            }
            None => roots,
        }
    }

    /// Whether the folder of records, if one is given, has a folder of a content root.
    pub(crate) fn has_records(&self) -> bool {
        let records = self.options.records.as_ref();
        records
            .is_none_or(|records| !discover::mirrors(&self.root, &self.content, records).is_empty())
    }

    /// Folders that the output must not touch.
    pub(crate) fn inputs(&self) -> Vec<PathBuf> {
        let own = ["templates", "static", rule_file::FOLDER].map(|folder| self.root.join(folder));
        let content = self.content.iter().chain(&self.options.records);
        content.cloned().chain(own).collect()
    }

    /// Paths of the static files, below the site's root.
    pub(crate) fn static_files(&self) -> impl Iterator<Item = &str> {
        self.statics.iter().map(String::as_str)
    }

    /// The static files.
    pub(crate) fn assets(&self) -> &Assets {
        &self.assets
    }

    /// A digest of all that pages have in common: settings, templates, navigation and asset addresses; also the redaction key,
    /// because it decides whether runs have errors.
    pub(crate) fn frame(&self, navigation: &[Link]) -> String {
        let own = (&self.config, &self.templates, self.redaction_key);
        let navigation = (navigation, self.rules.is_empty());
        let frame = format!("{:?}", (own, navigation, &self.assets.links));
        blake3::hash(frame.as_bytes()).to_hex().to_string()
    }

    /// A digest of the settings, templates and static files, with command line overrides.
    pub(crate) fn settings(&self) -> [u8; 32] {
        let options = &self.options;
        let flags = (options.drafts, options.deny_warnings, &self.content);
        let mut hasher = blake3::Hasher::new();
        hasher.update(format!("{flags:?} {:?}", options.shard).as_bytes());
        hasher.update(&self.redaction_key);
        for digest in self.portable_settings() {
            hasher.update(&digest);
        }
        hasher.finalize().into()
    }

    /// Digests of the settings with the rules, of the templates and of the static files that are equal on all machines.
    pub(crate) fn portable_settings(&self) -> [[u8; 32]; 3] {
        let mut files = blake3::Hasher::new();
        for asset in &self.assets.files {
            hash_text(&mut files, &asset.path);
            files.update(blake3::hash(&asset.bytes).as_bytes());
        }
        let mut settings = blake3::Hasher::new();
        settings.update(format!("{:?}", self.config).as_bytes());
        for rule in &self.rules.list {
            settings.update(rule.digest.as_bytes());
        }
        let settings = settings.finalize();
        let templates = blake3::hash(format!("{:?}", self.templates).as_bytes());
        [settings, templates, files.finalize()].map(Into::into)
    }

    /// Prepares the templates for the site's pages.
    pub(crate) fn renderer(&self, prose: &[Link]) -> Result<Renderer, Diagnostic> {
        let navigation = navigation(&self.config, lists::header(self), prose);
        let templates = self.templates.clone();
        Renderer::new(&self.config, templates, navigation, &self.assets.links)
    }
}

/// The files of rules with their paths.
fn rule_files(root: &Path) -> Result<Vec<(String, Vec<u8>)>, Diagnostic> {
    let files = load::files_below(root, rule_file::FOLDER)?.into_iter();
    let files =
        files.filter(|(path, _)| Path::new(path).extension().is_some_and(|end| end == "toml"));
    Ok(files
        .map(|(path, bytes)| (format!("{}/{path}", rule_file::FOLDER), bytes))
        .collect())
}

/// The rules of a site.
fn rules(root: &Path) -> Result<Rules, Vec<Diagnostic>> {
    let files = rule_files(root).map_err(|problem| vec![problem])?;
    let (rules, mut problems) = Rules::read(&files);
    if problems.is_empty() {
        return Ok(rules);
    }
    for (path, bytes) in &files {
        Mask::of_site(path, bytes).apply_all(&mut problems, "");
    }
    Err(problems)
}
