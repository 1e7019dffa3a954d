import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

/** Muster's API as e-mail actions see it. Keeps the receipts and suppressions that it has taken. */
export interface StandInMuster {
  readonly url: string;
  readonly taken: { path: string; body: unknown }[];
  /** Status of its answers. From 300 on, it takes nothing. */
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
