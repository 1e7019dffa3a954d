import type { ApiParts } from '../api-parts.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { receiptRoutes } from './receipt-routes.ts';
import { runReceiptRoutes } from './run-receipt-routes.ts';

export const tags = [
  { name: 'receipts', description: 'Delivery receipts of users that an asynchronous action accepted' },
];

export function routes(server: HttpServer, parts: ApiParts): void {
  runReceiptRoutes(server, parts);
}

/** Registers the routes of receipts. They need no API key, because providers sign their requests. */
export async function openRoutes(server: HttpServer, parts: ApiParts): Promise<void> {
  await server.register(
    (scope: HttpServer, _options, done) => {
      receiptRoutes(scope, parts);
      done();
    },
    { prefix: '/v1' },
  );
}
