/** The number of words in a text. Sample content. */
export function countWords(text: string): number {
  const parts = text.split(/\s+/);
  return parts.filter((part) => part !== "").length;
}
