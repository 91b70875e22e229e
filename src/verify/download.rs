//! (edge) Copies a site from its address into a folder, where it is verified.
//!
//! Requests go only to the given origin, over few connections. A file that the folder already has, with its checksum, is not
//! requested again, so an interrupted copy is resumed.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use sha2::{Digest, Sha256};
use ureq::Agent;
use ureq::http::Response;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

use base::links;
use base::url::HttpUrl;
use store::publish::checksums::{self, Checksums};

use super::pages;

/// Connections at a time.
const CONNECTIONS: usize = 4;
/// Attempts at a file, if the server is busy.
const ATTEMPTS: u32 = 4;
/// Longest wait between attempts, whatever the server asks for.
const LONGEST_WAIT: u64 = 60;
/// Redirects within the origin that are followed.
const REDIRECTS: usize = 3;
/// Largest file.
const LARGEST: u64 = 1 << 30;
/// Characters of a path that an address has in another form.
const ESCAPED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// What is copied, and from where.
pub struct Download<'a> {
    /// The address of the site; ends with `/`.
    pub address: &'a HttpUrl,
    /// The folder of the copy.
    pub folder: &'a Path,
    /// How many runs are copied; all without it.
    pub sample: Option<usize>,
    /// Chooses the runs of a sample.
    pub seed: u64,
    /// Called with the number of files so far, and of all known files.
    pub progress: &'a (dyn Fn(usize, usize) + Sync),
}

/// The reason that a site cannot be copied, as a clause.
type CopyError = String;

impl Download<'_> {
    /// Copies the site. Returns the paths of a sample's site that are not in the copy.
    ///
    /// # Errors
    /// The server or the folder refuses.
    pub fn run(&self) -> Result<BTreeSet<String>, CopyError> {
        let client = Client::new(self.address)?;
        fs::create_dir_all(self.folder).map_err(|error| error.to_string())?;
        let sums = client.get(checksums::PATH)?;
        let Some(sums) = sums else {
            self.follow_links(&client)?;
            return Ok(BTreeSet::new());
        };
        self.put(checksums::PATH, &sums)?;
        let listed = checksums::parse(&String::from_utf8_lossy(&sums));
        let listed =
            listed.map_err(|(line, reason)| format!("line {line} of its `SHA256SUMS` {reason}"))?;
        let chosen = self.paths_to_copy(&listed);
        let left_out = listed.keys().filter(|path| !chosen.contains(*path));
        let left_out: BTreeSet<String> = left_out.cloned().collect();
        let wanted = chosen
            .iter()
            .filter(|path| !self.has(path, listed.get(*path)));
        let wanted: Vec<String> = wanted.cloned().collect();
        self.fetch(&client, &wanted, chosen.len())?;
        Ok(left_out)
    }

    /// Copies only the ledger.
    ///
    /// # Errors
    /// The server or the folder refuses.
    pub fn ledger(&self) -> Result<(), CopyError> {
        let client = Client::new(self.address)?;
        let Some(bytes) = client.get(store::ledger::PATH)? else {
            return Ok(());
        };
        self.put(store::ledger::PATH, &bytes)?;
        let parts = pages::linked_paths(store::ledger::PATH, &bytes);
        self.fetch(&client, &parts, parts.len())
    }

    /// The paths to copy: all, or those of a sample of runs with everything that is no run's own page.
    fn paths_to_copy(&self, listed: &Checksums) -> BTreeSet<String> {
        let Some(sample) = self.sample else {
            return listed.keys().cloned().collect();
        };
        let folder = |path: &String| {
            let path = path
                .strip_prefix("downloads/")
                .map_or(path.clone(), |rest| format!("runs/{rest}"));
            links::split_run(&path).map(|(folder, _)| folder.to_owned())
        };
        let folders: BTreeSet<String> = listed.keys().filter_map(folder).collect();
        let mut folders: Vec<String> = folders.into_iter().collect();
        folders.sort_by_cached_key(|folder| {
            let mut hasher = blake3::Hasher::new();
            hasher
                .update(&self.seed.to_le_bytes())
                .update(folder.as_bytes());
            *hasher.finalize().as_bytes()
        });
        folders.truncate(sample);
        let chosen = listed.keys().filter(|path| match folder(path) {
            Some(folder) => folders.contains(&folder),
            None => path.starts_with("feeds/") || !path.contains('/'),
        });
        chosen.cloned().collect()
    }

    /// Whether the copy has the file with this checksum.
    fn has(&self, path: &str, sha256: Option<&[u8; 32]>) -> bool {
        let found = local(self.folder, path).and_then(|at| fs::read(at).ok());
        found.is_some_and(|bytes| {
            let found: [u8; 32] = Sha256::digest(&bytes).into();
            sha256 == Some(&found)
        })
    }

    /// Copies files over several connections. The folder already has the others of `all`.
    fn fetch(&self, client: &Client, wanted: &[String], all: usize) -> Result<(), CopyError> {
        let next = AtomicUsize::new(0);
        let first_error: Mutex<Option<CopyError>> = Mutex::default();
        let fail = |why: CopyError| {
            if let Ok(mut first_error) = first_error.lock() {
                first_error.get_or_insert(why);
            }
            next.store(wanted.len(), Ordering::Relaxed);
        };
        thread::scope(|scope| {
            for _ in 0..CONNECTIONS.min(wanted.len()) {
                scope.spawn(|| {
                    loop {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        let Some(path) = wanted.get(index) else {
                            return;
                        };
                        let copied = client.get(path).and_then(|bytes| match bytes {
                            Some(bytes) => self.put(path, &bytes),
                            // The verification reports the file as missing.
                            None => Ok(()),
                        });
                        match copied {
                            Ok(()) => (self.progress)(all - wanted.len() + index + 1, all),
                            Err(why) => return fail(why),
                        }
                    }
                });
            }
        });
        let first_error = first_error.into_inner().unwrap_or_default();
        first_error.map_or(Ok(()), Err)
    }

    /// Copies a site without checksums: what its pages and feeds name, and what those name.
    fn follow_links(&self, client: &Client) -> Result<(), CopyError> {
        let mut known: BTreeSet<String> = BTreeSet::new();
        let mut wanted = vec![
            "index.html".to_owned(),
            super::feeds::INDEX.to_owned(),
            "404.html".to_owned(),
        ];
        while !wanted.is_empty() {
            known.extend(wanted.iter().cloned());
            self.fetch(client, &wanted, known.len())?;
            let mut named = BTreeSet::new();
            for path in &wanted {
                let bytes = local(self.folder, path).and_then(|at| fs::read(at).ok());
                named.extend(
                    bytes
                        .into_iter()
                        .flat_map(|bytes| pages::linked_paths(path, &bytes)),
                );
            }
            let new = named.into_iter().filter(|path| !known.contains(path));
            wanted = new
                .filter(|path| local(self.folder, path).is_some())
                .collect();
        }
        Ok(())
    }

    /// Writes a file of the copy, whole or not at all.
    fn put(&self, path: &str, bytes: &[u8]) -> Result<(), CopyError> {
        let at = local(self.folder, path)
            .ok_or_else(|| format!("`{path}` is not the path of a file of a site"))?;
        let write = || -> io::Result<()> {
            if let Some(parent) = at.parent() {
                fs::create_dir_all(parent)?;
            }
            let mut part = at.clone().into_os_string();
            part.push(".part");
            let part = PathBuf::from(part);
            fs::File::create(&part)?.write_all(bytes)?;
            fs::rename(part, &at)
        };
        write().map_err(|error| format!("`{path}` cannot be written: {error}"))
    }
}

/// The place of a file in the copy; `None` if its path leads out of it.
fn local(folder: &Path, path: &str) -> Option<PathBuf> {
    let is_name =
        |name: &str| !matches!(name, "" | "." | "..") && !name.contains(['\0', '\\', ':']);
    path.split('/').all(is_name).then(|| folder.join(path))
}

/// Requests files from one origin.
struct Client {
    agent: Agent,
    base: String,
    origin: String,
}

impl Client {
    fn new(address: &HttpUrl) -> Result<Self, CopyError> {
        let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
        let tls = TlsConfig::builder()
            .unversioned_rustls_crypto_provider(provider)
            .root_certs(system_certificates())
            .build();
        let config = Agent::config_builder()
            .tls_config(tls)
            .max_redirects(0)
            .http_status_as_error(false)
            .timeout_connect(Some(Duration::from_secs(30)))
            .timeout_global(Some(Duration::from_mins(10)))
            .user_agent(concat!("runpress/", env!("CARGO_PKG_VERSION"), " verify"))
            .build();
        let base = address.as_str().to_owned();
        let origin = origin(&base).ok_or("the address has no host")?.to_owned();
        Ok(Self {
            agent: Agent::new_with_config(config),
            base,
            origin,
        })
    }

    /// The bytes of a file; `None` if there is none.
    fn get(&self, path: &str) -> Result<Option<Vec<u8>>, CopyError> {
        let mut address = format!("{}{}", self.base, utf8_percent_encode(path, ESCAPED));
        let mut redirects = 0;
        let mut attempt = 1;
        loop {
            let mut response = match self.agent.get(&address).call() {
                Ok(response) => response,
                Err(error) if attempt == ATTEMPTS => return Err(format!("`{address}`: {error}")),
                Err(_) => {
                    thread::sleep(Duration::from_secs(u64::from(attempt)));
                    attempt += 1;
                    continue;
                }
            };
            match response.status().as_u16() {
                200 => {
                    let mut bytes = Vec::new();
                    let mut body = response.body_mut().as_reader().take(LARGEST + 1);
                    match body.read_to_end(&mut bytes) {
                        Ok(_) if bytes.len() as u64 > LARGEST => {
                            return Err(format!("`{address}` is larger than 1 GiB"));
                        }
                        Ok(_) => return Ok(Some(bytes)),
                        Err(error) if attempt == ATTEMPTS => {
                            return Err(format!("`{address}`: {error}"));
                        }
                        Err(_) => attempt += 1,
                    }
                }
                404 | 410 => return Ok(None),
                301 | 302 | 303 | 307 | 308 if redirects < REDIRECTS => {
                    redirects += 1;
                    address = self.redirect_target(&address, &response)?;
                }
                429 | 503 if attempt < ATTEMPTS => {
                    thread::sleep(wait(&response, attempt));
                    attempt += 1;
                }
                status => return Err(format!("`{address}` answers with status {status}")),
            }
        }
    }

    /// The address of a redirect within the origin.
    fn redirect_target<T>(
        &self,
        address: &str,
        response: &Response<T>,
    ) -> Result<String, CopyError> {
        let to = header(response, "location").unwrap_or_default();
        let to = match to {
            to if to.starts_with("//") => {
                format!("{}:{to}", self.origin.split(':').next().unwrap_or_default())
            }
            to if to.starts_with('/') => format!("{}{to}", self.origin),
            to if to.contains("://") => to.to_owned(),
            to => format!(
                "{}/{to}",
                address.rsplit_once('/').map_or("", |(folder, _)| folder)
            ),
        };
        if origin(&to) == Some(self.origin.as_str()) {
            return Ok(to);
        }
        Err(format!(
            "`{address}` redirects to another origin, which is not asked"
        ))
    }
}

/// The certificates that the system trusts.
fn system_certificates() -> RootCerts {
    // A certificate that cannot be read is not trusted.
    let found = rustls_native_certs::load_native_certs().certs;
    let found = found.iter().map(|it| Certificate::from_der(it).to_owned());
    RootCerts::new_with_certs(&found.collect::<Vec<_>>())
}

/// Scheme, host and port of an address.
fn origin(address: &str) -> Option<&str> {
    let host = address.find("://")? + 3;
    let end = address[host..].find(['/', '?', '#']);
    Some(&address[..end.map_or(address.len(), |end| host + end)])
}

fn header<'a, T>(response: &'a Response<T>, name: &str) -> Option<&'a str> {
    response.headers().get(name)?.to_str().ok()
}

/// How long to wait for a server that is busy.
fn wait<T>(response: &Response<T>, attempt: u32) -> Duration {
    let asked = header(response, "retry-after").and_then(|text| text.trim().parse().ok());
    Duration::from_secs(asked.unwrap_or_else(|| 1 << attempt).min(LONGEST_WAIT))
}
