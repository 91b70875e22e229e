//! How connections are taken: each has to send its request in time, and only so many are open at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tower::ServiceExt;

/// Connections that are open at once: more than any browser opens, and few enough for a process that may open 256 files.
const MOST: usize = 128;
/// How long a connection may take for the head of a request, or stay without one.
const HEAD: Duration = Duration::from_secs(10);
/// Before the next try when the system accepts no connection, for example because too many files are open.
const PAUSE: Duration = Duration::from_millis(50);

/// A connection that may be open.
struct Connection {
    task: JoinHandle<()>,
    /// Whether it has sent a whole request.
    has_asked: Arc<AtomicBool>,
}

/// Answers everything that is asked, until the process ends. Where one connection too many comes, the oldest is closed that
/// has not asked anything, or the oldest of all: pages connect again by themselves.
pub(super) async fn serve(listener: TcpListener, app: Router) {
    let mut open: Vec<Connection> = Vec::new();
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        open.retain(|connection| !connection.task.is_finished());
        if open.len() >= MOST {
            let is_silent = |connection: &Connection| !connection.has_asked.load(Ordering::Relaxed);
            let oldest = open.iter().position(is_silent).unwrap_or_default();
            open.remove(oldest).task.abort();
        }
        let has_asked = Arc::new(AtomicBool::new(false));
        let task = tokio::spawn(answer(stream, app.clone(), Arc::clone(&has_asked)));
        open.push(Connection { task, has_asked });
    }
}

async fn answer(stream: TcpStream, app: Router, has_asked: Arc<AtomicBool>) {
    let service = service_fn(|request: Request<Incoming>| {
        has_asked.store(true, Ordering::Relaxed);
        app.clone().oneshot(request)
    });
    let mut connection = http1::Builder::new();
    connection
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD);
    // What goes wrong on a connection ends this one only.
    let _ = connection
        .serve_connection(TokioIo::new(stream), service)
        .await;
}
