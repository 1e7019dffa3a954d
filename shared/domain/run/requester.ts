export interface Requester {
  keyId: string;
  keyName: string;
}
