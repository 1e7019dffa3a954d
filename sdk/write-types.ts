import { writeFile } from 'node:fs/promises';
import { createApi } from '../services/api/api.ts';
import { createApiDeps } from '../test/support/api-deps.ts';
import { typesFile, typesOf } from './generate.ts';

/** `npm run sdk`: the types anew, from the document of the API as it is here. */
const api = await createApi(await createApiDeps());
const document: unknown = (await api.server.inject('/openapi.json')).json();
await writeFile(typesFile, await typesOf(document));
await api.close();
