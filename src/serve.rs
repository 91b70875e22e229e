//! [edge in and out] Serves a site while it is edited: built into a separate folder, served on this machine only, rebuilt after
//! each change, and reloaded by open pages.
//!
//! The output folder of the site is never written; it is only what the ledger of the served site compares with.
//! After a failed build, the last good one is served, and open pages show the problems.

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

use crate::diagnostics::Failure;
use crate::pipeline::{Outcome, Progress};
use crate::site::{Overrides, Site};

mod connections;
mod http;
mod polling;
mod state;
mod watcher;

pub use watcher::{Change, Watcher};

use state::SiteState;

/// Why a site cannot be served.
#[derive(Debug)]
pub enum NotServed {
    /// The port is taken, or the system refuses it.
    Port(io::Error),
    /// There is no folder for temporary files that may be written.
    Folder(io::Error),
    /// The system provides no threads or signals.
    System(io::Error),
}

/// The port that is tried first when none is named.
pub const PORT: u16 = 4000;
/// How many ports are tried after it.
const NEXT: u16 = 100;

/// Serves the newest good build from a folder that is removed at the end.
#[derive(Debug)]
pub struct Server {
    folder: Arc<TempDir>,
    address: SocketAddr,
    shown: watch::Sender<Arc<SiteState>>,
    working: Arc<Working>,
    _runtime: Runtime,
}

/// Whether a build is under way, and whether it must pause because the process ends.
#[derive(Debug, Default)]
struct Working {
    builds: AtomicBool,
    ends: AtomicBool,
}

impl Server {
    /// Begins to serve on this machine only: on `port`, or without one on [`PORT`] or the next that is free.
    ///
    /// # Errors
    /// The port is taken, or the system provides no port, thread or temporary folder.
    pub fn start(port: Option<u16>) -> Result<Self, NotServed> {
        let listener = listen(port).map_err(NotServed::Port)?;
        let folder = tempfile::Builder::new()
            .prefix("runpress-serve-")
            .tempdir()
            .map_err(NotServed::Folder)?;
        Self::serve(listener, folder).map_err(NotServed::System)
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
        let (shown, seen) =
            watch::channel(Arc::new(SiteState::nothing(&session.to_string_lossy())));
        let working = Arc::new(Working::default());
        {
            let _context = runtime.enter();
            let listener = tokio::net::TcpListener::from_std(listener)?;
            let app = http::app(folder.path().join(SITE), seen);
            runtime.spawn(connections::serve(listener, app));
            let end = end(asked_to_end()?, Arc::clone(&folder), Arc::clone(&working));
            runtime.spawn(end);
        }
        Ok(Self {
            folder,
            address,
            shown,
            working,
            _runtime: runtime,
        })
    }

    /// Where the site is served.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}{}", self.address, self.shown.borrow().base)
    }

    /// Whether there is a site to look at: not before the first build that succeeds.
    #[must_use]
    pub fn has_build(&self) -> bool {
        self.shown.borrow().has_build
    }

    /// Builds the site at `root` once more. When that succeeds, it is served from now on; in any case the open pages are notified.
    /// `opened` is called with the site once its settings are known, before any content is read.
    ///
    /// # Errors
    /// As [`crate::build`]; the last good build is still served.
    pub fn build(
        &mut self,
        root: &Path,
        overrides: &Overrides,
        progress: &dyn Progress,
        opened: impl FnOnce(&Site),
    ) -> Result<(Site, Outcome), Failure> {
        self.working.builds.store(true, Ordering::SeqCst);
        let progress = Interruptible {
            inner: progress,
            working: &self.working,
        };
        let result = Site::open(root, overrides).and_then(|mut site| {
            site.build_aside(self.folder.path(), SITE);
            opened(&site);
            let (outcome, replaced) = crate::build(&site, &progress)?;
            Ok(((site, outcome), replaced))
        });
        progress.block_during_shutdown();
        self.working.builds.store(false, Ordering::SeqCst);
        let (result, replaced) = match result {
            Ok((built, replaced)) => (Ok(built), Some(replaced)),
            Err(failure) => (Err(failure), None),
        };
        let next = self.shown.borrow().after(&result);
        self.shown.send_replace(Arc::new(next));
        // The open pages load the new site meanwhile.
        drop(replaced);
        result
    }
}

/// The site's place in the folder.
const SITE: &str = "site";

fn listen(port: Option<u16>) -> io::Result<TcpListener> {
    let bind = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port));
    let Some(port) = port else {
        let mut tried = bind(PORT);
        for port in PORT + 1..=PORT + NEXT {
            match tried {
                Err(error) if error.kind() == io::ErrorKind::AddrInUse => tried = bind(port),
                other => return other,
            }
        }
        return tried;
    };
    bind(port)
}

/// Pauses the threads of a build when the process ends, so that nothing is written into the folder while it is removed.
struct Interruptible<'a> {
    inner: &'a dyn Progress,
    working: &'a Working,
}

impl Interruptible<'_> {
    fn block_during_shutdown(&self) {
        while self.working.ends.load(Ordering::SeqCst) {
            thread::park();
        }
    }
}

impl Progress for Interruptible<'_> {
    fn begin(&self, step: &'static str, ticks: usize) {
        self.block_during_shutdown();
        self.inner.begin(step, ticks);
    }

    fn tick(&self) {
        self.block_during_shutdown();
        self.inner.tick();
    }
}

/// Waits until the process is asked to end: by Ctrl-C, the system, or a terminal that is closed.
#[cfg(unix)]
fn asked_to_end() -> io::Result<impl Future<Output = ()>> {
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
fn asked_to_end() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}

/// Ends the process once it is asked to: without the folder.
async fn end(asked: impl Future<Output = ()>, folder: Arc<TempDir>, working: Arc<Working>) {
    asked.await;
    working.ends.store(true, Ordering::SeqCst);
    let path: PathBuf = folder.path().to_owned();
    let _ = tokio::task::spawn_blocking(move || clear(&path, &working)).await;
    std::process::exit(0);
}

/// A thread of a build may still write the file that it is at; after that it pauses.
fn clear(folder: &Path, working: &Working) {
    const TRIES: usize = 100;
    const PAUSE: Duration = Duration::from_millis(20);
    let mut gone = 0;
    for _ in 0..TRIES {
        let removed = fs::remove_dir_all(folder);
        let is_gone = removed.is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
        gone = if is_gone { gone + 1 } else { 0 };
        if !working.builds.load(Ordering::SeqCst) && !folder.exists() || gone >= 3 {
            return;
        }
        thread::sleep(PAUSE);
    }
}
