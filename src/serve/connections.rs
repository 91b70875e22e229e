//! Accepts connections: limits how many are open, and how long each may take to send its request.

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

/// Maximum open connections: more than any browser opens, and few enough for a process with 256 file descriptors.
const MAX_CONNECTIONS: usize = 128;
/// Timeout for the head of a request, and for an idle connection.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// Delay before the next attempt when a connection cannot be accepted, for example because too many files are open.
const RETRY_DELAY: Duration = Duration::from_millis(50);

/// A connection, which may be closed by now.
struct Connection {
    task: JoinHandle<()>,
    /// Whether it has sent a whole request.
    has_request: Arc<AtomicBool>,
}

/// Serves all connections until the process ends. When there are too many, closes the oldest one that has sent no request, or
/// else the oldest of all; pages reconnect by themselves.
pub(super) async fn serve(listener: TcpListener, app: Router) {
    let mut open: Vec<Connection> = Vec::new();
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(RETRY_DELAY).await;
            continue;
        };
        open.retain(|connection| !connection.task.is_finished());
        if open.len() >= MAX_CONNECTIONS {
            let is_idle = |connection: &Connection| !connection.has_request.load(Ordering::Relaxed);
            let oldest = open.iter().position(is_idle).unwrap_or_default();
            open.remove(oldest).task.abort();
        }
        let has_request = Arc::new(AtomicBool::new(false));
        let task = tokio::spawn(answer(stream, app.clone(), Arc::clone(&has_request)));
        open.push(Connection { task, has_request });
    }
}

async fn answer(stream: TcpStream, app: Router, has_request: Arc<AtomicBool>) {
    let service = service_fn(|request: Request<Incoming>| {
        has_request.store(true, Ordering::Relaxed);
        app.clone().oneshot(request)
    });
    let mut connection = http1::Builder::new();
    connection
        .timer(TokioTimer::new())
        .header_read_timeout(REQUEST_TIMEOUT);
    // An error ends only this connection.
    let _ = connection
        .serve_connection(TokioIo::new(stream), service)
        .await;
}
