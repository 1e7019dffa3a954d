export interface Asker {
  keyId: string;
  keyName: string;
}
