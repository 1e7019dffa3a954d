import Fastify from 'fastify';
import { createServer } from 'node:net';

/** Server of the framework alone: it reads the body and answers, and stores nothing. Sends its port to its parent. */
const server = Fastify({ logger: false });
server.post('/v1/jobs', (_request, reply) =>
  reply.code(201).send({ id: 'job_01h455vb4pex5vsknk084sn02q', duplicate: false }),
);
const probe = createServer();
await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
const address = probe.address();
const port = typeof address === 'object' && address !== null ? address.port : 0;
await new Promise((resolve) => probe.close(resolve));
await server.listen({ host: '127.0.0.1', port });
process.send?.({ port });
