/** What is sent back; the body is JSON. */
export interface HttpAnswer {
  status: number;
  headers?: Record<string, string>;
  body: string;
}
