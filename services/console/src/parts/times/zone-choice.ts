/** Returns the zones that the key `T` cycles through: the installation's, the user's and UTC, without duplicates. */
export function zonesToChoose(installation: string | undefined, own: string): string[] {
  return [...new Set([installation ?? own, own, 'UTC'])];
}
