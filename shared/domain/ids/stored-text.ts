/** Whether Postgres can keep a text: its text and jsonb know neither U+0000 nor lone surrogates. */
export function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}
