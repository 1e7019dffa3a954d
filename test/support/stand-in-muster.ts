import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

/** A stand-in for Muster's API, as e-mail actions use it. Records accepted receipts and suppressions. */
export interface StandInMuster {
  readonly url: string;
  readonly taken: { path: string; body: unknown }[];
  /** Status of the answers. With 300 or above, nothing is recorded. */
  status: number;
  close(): void;
}

export async function startStandInMuster(): Promise<StandInMuster> {
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      const isTaken = muster.status < 300;
      if (isTaken) muster.taken.push({ path: request.url ?? '', body });
      const isReceipts = request.url === '/v1/receipts';
      const answer = isReceipts ? { accepted: 1, unknown: 0, refused: 0, problems: [] } : {};
      response.writeHead(isTaken && isReceipts ? 202 : muster.status);
      response.end(JSON.stringify(answer));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const muster: StandInMuster = {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    taken: [],
    status: 200,
    close: () => server.close(),
  };
  return muster;
}
