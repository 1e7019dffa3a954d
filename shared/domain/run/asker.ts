/** Key that made a request about a run, as its history shows it. */
export interface Asker {
  keyId: string;
  keyName: string;
}
