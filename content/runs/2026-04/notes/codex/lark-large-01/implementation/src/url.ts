const ALLOWED = ["http:", "https:", "mailto:"];

/** Only these may become an href. Everything else is shown as text. */
export function isSafeUrl(raw: string): boolean {
  const s = raw.replace(/[\t\n\r]/g, "").trim().toLowerCase();
  return ALLOWED.some((p) => s.startsWith(p));
}

export function safeHref(raw: string): string | null {
  return isSafeUrl(raw) ? raw : null;
}
