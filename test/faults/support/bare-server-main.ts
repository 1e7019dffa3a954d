import { once } from 'node:events';
import { createServer } from 'node:http';
import { z } from 'zod';

const server = createServer((_request, response) => response.writeHead(401).end());
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.send?.(z.object({ port: z.number() }).parse(server.address()).port);
