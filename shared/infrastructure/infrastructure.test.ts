import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { findFreePorts } from './free-ports.ts';
import { readRequest, startInfrastructure } from './infrastructure.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listen(): Promise<number> {
  const [port = 0] = await findFreePorts(1);
  const server = createServer((socket) => socket.destroy()).listen(port, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return port;
}

const start = (environment: NodeJS.ProcessEnv) => startInfrastructure({ environment, report: () => undefined });

describe('the source of Kafka and Postgres', () => {
  it('is the environment if it names both', async () => {
    const [database, broker] = [await listen(), await listen()];
    const given = await start({
      DATABASE_URL: `postgres://user:secret@127.0.0.1:${database}/muster`,
      KAFKA_BROKERS: `127.0.0.1:${broker}`,
    });
    expect(given).toMatchObject({ kind: 'external', brokers: [`127.0.0.1:${broker}`] });
    expect(given.description).not.toContain('secret');
  });

  it('is rejected if the environment names only one of the two servers', async () => {
    await expect(start({ KAFKA_BROKERS: '127.0.0.1:9092' })).rejects.toThrow(
      'KAFKA_BROKERS is set and DATABASE_URL is not',
    );
  });

  it('is rejected if external servers are requested but not named', async () => {
    await expect(start({ INFRA: 'external' })).rejects.toThrow('INFRA=external: set DATABASE_URL and KAFKA_BROKERS');
  });

  it('is rejected unless INFRA is auto, external, containers or local', async () => {
    await expect(start({ INFRA: 'cloud' })).rejects.toThrow(
      /^INFRA has to be auto or external or containers or local, not "cloud"/,
    );
  });

  it('can be local although the environment names servers', () => {
    expect(readRequest({ INFRA: 'local', KAFKA_BROKERS: '127.0.0.1:9092' })).toEqual({ kind: 'local' });
  });

  it('is rejected with the address of a database that does not answer', async () => {
    const [nobody = 0] = await findFreePorts(1);
    const environment = {
      DATABASE_URL: `postgres://127.0.0.1:${nobody}/muster`,
      KAFKA_BROKERS: `127.0.0.1:${await listen()}`,
    };
    await expect(start(environment)).rejects.toThrow(`DATABASE_URL: nobody answers at 127.0.0.1:${nobody}`);
  });

  it('requires one broker that answers, not all', async () => {
    const [nobody = 0] = await findFreePorts(1);
    const DATABASE_URL = `postgres://127.0.0.1:${await listen()}/muster`;
    const brokers = `127.0.0.1:${nobody}, 127.0.0.1:${await listen()}`;
    await expect(start({ DATABASE_URL, KAFKA_BROKERS: brokers })).resolves.toMatchObject({ kind: 'external' });
    await expect(start({ DATABASE_URL, KAFKA_BROKERS: `127.0.0.1:${nobody}` })).rejects.toThrow(
      `KAFKA_BROKERS: nobody answers at 127.0.0.1:${nobody}`,
    );
  });
});
