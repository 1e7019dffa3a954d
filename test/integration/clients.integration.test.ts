import { createClientStore } from '../../services/api/clients/postgres/client-store.ts';
import { createClientSource } from '../../shared/postgres/registry/clients.ts';
import { joinInstallation } from '../../shared/postgres/connection/installation.ts';
import { describeClients } from '../support/conformance/clients.conformance.ts';
import { databaseForFile } from '../support/file-database.ts';

const database = databaseForFile();

describeClients('on Postgres', async () => {
  await database.empty();
  await joinInstallation(database.pool, { actionTypes: {} }, { actionTypes: {}, partitionsPerShard: 1 });
  return { store: createClientStore({ pool: database.pool }), source: createClientSource({ pool: database.pool }) };
});
