//! [edge in and out] Serves a site on this machine while it is edited: builds it into a separate folder, rebuilds it after each
//! change, and reloads open pages.
//!
//! Never writes to the output folder of the site, which is only read to compare the ledger. After a failed build, it keeps
//! serving the last good build, and open pages show the problems.

use std::fs;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;
use tokio::runtime::Runtime;
use tokio::sync::watch;

use base::diagnostics::Failure;
use pipeline::site::{Overrides, Site};
use pipeline::{Outcome, Progress};

mod connections;
mod http;
mod polling;
mod state;
mod watcher;

pub use watcher::{Change, Watcher};

use state::SiteState;

/// The reason that a site cannot be served.
#[derive(Debug)]
pub enum ServeError {
    /// The port is taken or not permitted.
    Port(io::Error),
    /// No folder for temporary files is writable.
    Folder(io::Error),
    /// The system provides no threads or signals.
    System(io::Error),
}

/// The first port to try by default.
pub const PORT: u16 = 4000;
/// How many ports after it to try.
const FURTHER_PORTS: u16 = 100;

/// Serves the last good build from a temporary folder, which is removed at the end.
#[derive(Debug)]
pub struct Server {
    folder: Arc<TempDir>,
    address: SocketAddr,
    state: watch::Sender<Arc<SiteState>>,
    build_state: Arc<BuildState>,
    _runtime: Runtime,
}

/// Keeps a build from writing into the folder while it is removed.
#[derive(Debug, Default)]
struct BuildState {
    is_building: AtomicBool,
    is_ending: AtomicBool,
}

impl Server {
    /// Starts serving on this machine only: on `port`, or on the first free port from [`PORT`].
    pub fn start(port: Option<u16>) -> Result<Self, ServeError> {
        let listener = listen(port).map_err(ServeError::Port)?;
        let folder = tempfile::Builder::new()
            .prefix("runpress-serve-")
            .tempdir()
            .map_err(ServeError::Folder)?;
        Self::serve(listener, folder).map_err(ServeError::System)
    }

    fn serve(listener: TcpListener, folder: TempDir) -> io::Result<Self> {
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let folder = Arc::new(folder);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()?;
        let session = folder.path().file_name().unwrap_or_default();
        let (state, receiver) =
            watch::channel(Arc::new(SiteState::initial(&session.to_string_lossy())));
        let build_state = Arc::new(BuildState::default());
        {
            let _context = runtime.enter();
            let listener = tokio::net::TcpListener::from_std(listener)?;
            let app = http::app(folder.path().join(SITE), receiver);
            runtime.spawn(connections::serve(listener, app));
            let end = shut_down(
                shutdown_signal()?,
                Arc::clone(&folder),
                Arc::clone(&build_state),
            );
            runtime.spawn(end);
        }
        Ok(Self {
            folder,
            address,
            state,
            build_state,
            _runtime: runtime,
        })
    }

    /// The URL of the served site.
    pub fn url(&self) -> String {
        format!("http://{}{}", self.address, self.state.borrow().base)
    }

    /// Whether a build has succeeded yet.
    pub fn has_build(&self) -> bool {
        self.state.borrow().has_build
    }

    /// Rebuilds the site at `root` and notifies open pages. Serves the new build if it succeeds. Calls `opened` with the site
    /// once its settings are read, before any content is.
    pub fn build(
        &mut self,
        root: &Path,
        overrides: &Overrides,
        progress: &dyn Progress,
        opened: impl FnOnce(&Site),
    ) -> Result<(Site, Outcome), Failure> {
        self.build_state.is_building.store(true, Ordering::SeqCst);
        let progress = PausingProgress {
            inner: progress,
            build_state: &self.build_state,
        };
        let result = Site::open(root, overrides).and_then(|mut site| {
            site.build_aside(self.folder.path(), SITE);
            opened(&site);
            let (outcome, replaced) = pipeline::build(&site, &progress)?;
            Ok(((site, outcome), replaced))
        });
        progress.block_during_shutdown();
        self.build_state.is_building.store(false, Ordering::SeqCst);
        let (result, replaced) = match result {
            Ok((built, replaced)) => (Ok(built), Some(replaced)),
            Err(failure) => (Err(failure), None),
        };
        let next = self.state.borrow().after(&result);
        self.state.send_replace(Arc::new(next));
        // Meanwhile, the open pages load the new site.
        drop(replaced);
        result
    }
}

/// The folder of the site inside the temporary folder.
const SITE: &str = "site";

fn listen(port: Option<u16>) -> io::Result<TcpListener> {
    let bind = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port));
    let Some(port) = port else {
        let mut tried = bind(PORT);
        for port in PORT + 1..=PORT + FURTHER_PORTS {
            match tried {
                Err(error) if error.kind() == io::ErrorKind::AddrInUse => tried = bind(port),
                other => return other,
            }
        }
        return tried;
    };
    bind(port)
}

/// Pauses build threads when the process ends, so that nothing is written into the folder while it is removed.
struct PausingProgress<'a> {
    inner: &'a dyn Progress,
    build_state: &'a BuildState,
}

impl PausingProgress<'_> {
    fn block_during_shutdown(&self) {
        while self.build_state.is_ending.load(Ordering::SeqCst) {
            thread::park();
        }
    }
}

impl Progress for PausingProgress<'_> {
    fn begin(&self, step: &'static str, ticks: Option<usize>) {
        self.block_during_shutdown();
        self.inner.begin(step, ticks);
    }

    fn tick(&self) {
        self.block_during_shutdown();
        self.inner.tick();
    }
}

/// Waits for a request to stop: Ctrl-C, a signal, or a closed terminal.
#[cfg(unix)]
fn shutdown_signal() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hangup = signal(SignalKind::hangup())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
    })
}

#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps, reason = "as on other systems")]
fn shutdown_signal() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}

/// Removes the folder and ends the process once it is asked to stop.
async fn shut_down(
    signal: impl Future<Output = ()>,
    folder: Arc<TempDir>,
    build_state: Arc<BuildState>,
) {
    signal.await;
    build_state.is_ending.store(true, Ordering::SeqCst);
    let path: PathBuf = folder.path().to_owned();
    let _ = tokio::task::spawn_blocking(move || remove_folder(&path, &build_state)).await;
    std::process::exit(0);
}

/// A build thread may still finish its current file; after that it pauses.
fn remove_folder(folder: &Path, build_state: &BuildState) {
    const TRIES: usize = 100;
    const PAUSE: Duration = Duration::from_millis(20);
    let mut gone = 0;
    for _ in 0..TRIES {
        let removed = fs::remove_dir_all(folder);
        let is_gone = removed.is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
        gone = if is_gone { gone + 1 } else { 0 };
        if !build_state.is_building.load(Ordering::SeqCst) && !folder.exists() || gone >= 3 {
            return;
        }
        thread::sleep(PAUSE);
    }
}
