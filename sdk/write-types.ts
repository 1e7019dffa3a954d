import { writeFile } from 'node:fs/promises';
import { apiDocument } from './api-document.ts';
import { typesFile, typesOf } from './generate.ts';

/** `npm run sdk`: the types anew, from the document of the API as it is here. */
await writeFile(typesFile, await typesOf(await apiDocument()));
