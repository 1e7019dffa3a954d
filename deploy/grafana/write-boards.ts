import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { boards } from './boards.ts';
import { renderBoard } from './render-board.ts';

/** Folder to which `npm run dashboards` writes. The Helm chart reads from the same folder. */
const folder = path.join(import.meta.dirname, '../helm/muster/dashboards');
for (const board of boards) writeFileSync(path.join(folder, `${board.uid}.json`), renderBoard(board));
