/** What `T` goes through: the installation's zone, one's own, UTC; each once. */
export function zonesToChoose(installation: string | undefined, own: string): string[] {
  return [...new Set([installation ?? own, own, 'UTC'])];
}
