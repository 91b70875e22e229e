//! Serves the site over HTTP: files as a static host would serve them, and pages with a script that reloads them.
//!
//! Only requests to names of this machine are answered. Otherwise another site could point its name here and read drafts.

use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::Arc;

use axum::Router;
use axum::body::{self, Body, Bytes};
use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_TYPE, HOST, HeaderName, HeaderValue, LOCATION, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{Method, StatusCode, Uri, uri::Authority};
use axum::middleware::{self, Next};
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use futures_util::stream::{self, Stream};
use memchr::memmem;
use percent_encoding::percent_decode_str;
use tokio::sync::watch;
use tower::ServiceExt;
use tower_http::services::ServeDir;

use super::state::SiteState;

const SCRIPT: &str = include_str!("live.js");
const STYLE: &str = include_str!("live.css");
const WAITING: &str = include_str!("waiting.html");

const HTML: &str = "text/html; charset=utf-8";
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// Maximum bytes of the name of a file on common file systems.
const MAX_NAME_BYTES: usize = 255;
/// Maximum bytes of a path below the site, so that the path of the folder before it still fits into the limit of the system.
const MAX_PATH_BYTES: usize = 2_048;

#[derive(Clone)]
struct AppState {
    folder: Arc<PathBuf>,
    state: watch::Receiver<Arc<SiteState>>,
}

/// The routes that serve `folder`, which has the last good build.
pub(super) fn app(folder: PathBuf, state: watch::Receiver<Arc<SiteState>>) -> Router {
    let text = |kind: &'static str, text: &'static str| {
        get(move || async move { ([(CONTENT_TYPE, kind)], text) })
    };
    Router::new()
        .route(
            "/.runpress/live.js",
            text("text/javascript; charset=utf-8", SCRIPT),
        )
        .route(
            "/.runpress/live.css",
            text("text/css; charset=utf-8", STYLE),
        )
        .route("/.runpress/events", get(events))
        .fallback(file)
        .with_state(AppState {
            folder: Arc::new(folder),
            state,
        })
        .layer(middleware::from_fn(guard))
}

/// Rejects requests for other host names, and forbids caching and access by other sites.
async fn guard(request: Request, next: Next) -> Response {
    let host = request
        .headers()
        .get(HOST)
        .and_then(|host| host.to_str().ok());
    let target = request.uri().authority().map(Authority::as_str);
    let mut response = if host.is_some_and(is_local) && target.is_none_or(is_local) {
        next.run(request).await
    } else {
        let words = "This server answers to localhost, 127.0.0.1 and [::1] only.\n";
        (StatusCode::FORBIDDEN, words).into_response()
    };
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(RESOURCE_POLICY, HeaderValue::from_static("same-origin"));
    response
}

fn is_local(authority: &str) -> bool {
    authority.parse::<Authority>().is_ok_and(|authority| {
        let host = authority.host();
        let port = authority.as_str().strip_prefix(host).unwrap_or("@");
        let is_port = |port: &str| port.bytes().all(|digit| digit.is_ascii_digit());
        // Browsers never send a user name before an `@`.
        (port.is_empty() || port.strip_prefix(':').is_some_and(is_port))
            && (host.eq_ignore_ascii_case("localhost") || host == "127.0.0.1" || host == "[::1]")
    })
}

/// Sends a page the current state, at once and after every build.
async fn events(
    State(served): State<AppState>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let mut state = served.state;
    state.mark_changed();
    Sse::new(stream::unfold(state, |mut state| async move {
        state.changed().await.ok()?;
        let event = Event::default().data(&state.borrow_and_update().message);
        Some((Ok(event), state))
    }))
}

async fn file(State(served): State<AppState>, request: Request) -> Response {
    // Read before the file: a page older than its build name would never be reloaded.
    let state = Arc::clone(&served.state.borrow());
    if !state.has_build {
        return page(StatusCode::SERVICE_UNAVAILABLE, WAITING.as_bytes(), &state);
    }
    let is_head = request.method() == Method::HEAD;
    let path = request.uri().path();
    let prefix = state.base.trim_end_matches('/');
    let below = path
        .strip_prefix(prefix)
        .filter(|path| path.starts_with('/'));
    let Some(below) = below.filter(|path| !path.contains("//")) else {
        if path == "/" || path == prefix {
            return (
                StatusCode::TEMPORARY_REDIRECT,
                [(LOCATION, state.base.clone())],
            )
                .into_response();
        }
        return not_found(&served, &state).await;
    };
    // The system would refuse to look for such a file, which is no fault of the server.
    let is_too_long = |part: &str| percent_decode_str(part).count() > MAX_NAME_BYTES;
    if below.split('/').any(is_too_long) || below.len() > MAX_PATH_BYTES {
        return not_found(&served, &state).await;
    }
    let Ok(uri) = below.parse::<Uri>() else {
        return not_found(&served, &state).await;
    };
    let below = below.to_owned();
    let (mut parts, body) = request.into_parts();
    parts.uri = uri;
    let files = ServeDir::new(served.folder.as_path()).redirect_path_prefix(prefix);
    let found = match files.oneshot(Request::from_parts(parts, body)).await {
        Ok(found) => found.map(Body::new),
        Err(never) => match never {},
    };
    if found.status() == StatusCode::NOT_FOUND {
        return not_found(&served, &state).await;
    }
    let is_html = |value: &HeaderValue| value.as_bytes().starts_with(b"text/html");
    if found.status() == StatusCode::OK
        && !is_head
        && found.headers().get(CONTENT_TYPE).is_some_and(is_html)
    {
        return match body::to_bytes(found.into_body(), usize::MAX).await {
            Ok(html) => page(StatusCode::OK, &html, &state),
            Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        };
    }
    with_content_type(found, &below)
}

/// The site's own page for missing addresses.
async fn not_found(served: &AppState, state: &SiteState) -> Response {
    let html = tokio::fs::read(served.folder.join("404.html")).await;
    page(StatusCode::NOT_FOUND, &html.unwrap_or_default(), state)
}

/// Adds the charset, since all text of a site is UTF-8, and the type of JSON Lines, which `ServeDir` does not know.
fn with_content_type(mut response: Response, path: &str) -> Response {
    let kind = response.headers().get(CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let is_text = kind.starts_with("text/") && !kind.contains("charset");
    let kind = if path.rsplit('.').next() == Some("jsonl") {
        Some("application/x-ndjson; charset=utf-8".to_owned())
    } else {
        is_text.then(|| format!("{kind}; charset=utf-8"))
    };
    if let Some(kind) = kind.and_then(|kind| HeaderValue::from_str(&kind).ok()) {
        response.headers_mut().insert(CONTENT_TYPE, kind);
    }
    response
}

/// A page with the script that reloads it. No file of the site contains the script.
fn page(status: StatusCode, html: &[u8], state: &SiteState) -> Response {
    let script = format!(
        "<script src=\"/.runpress/live.js\" data-build=\"{}\" defer></script>",
        state.build()
    );
    let at = memmem::find(html, b"</head>").unwrap_or(html.len());
    let html = [&html[..at], script.as_bytes(), &html[at..]].concat();
    (status, [(CONTENT_TYPE, HTML)], Bytes::from(html)).into_response()
}

#[cfg(test)]
mod tests {
    use super::is_local;

    #[test]
    fn only_names_of_this_machine_are_answered() {
        for here in [
            "localhost",
            "LOCALHOST:4000",
            "127.0.0.1",
            "127.0.0.1:80",
            "[::1]:4000",
        ] {
            assert!(is_local(here), "{here}");
        }
        for other in [
            "",
            "example.org",
            "localhost.example.org:4000",
            "127.0.0.1.example.org",
            "127.0.0.2",
            "0.0.0.0",
            "evil@localhost",
            "localhost@evil.example",
            "localhost:evil",
            "localhost:80x",
            "127.0.0.1:+80",
            "[::1]:evil",
            "[::2]",
            "::1",
            "a b",
        ] {
            assert!(!is_local(other), "{other}");
        }
    }
}
