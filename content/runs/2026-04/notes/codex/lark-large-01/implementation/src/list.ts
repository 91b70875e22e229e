const seg = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Cut a title by what a reader sees as one character: 🏔️ is one. */
export function cut(title: string, max = 24): string {
  const parts = Array.from(seg.segment(title), (s) => s.segment);
  return parts.length <= max ? title : parts.slice(0, max - 1).join("") + "…";
}
