import type { Board } from './board.ts';
import { callbacks } from './callbacks-board.ts';
import { campaigns } from './campaigns-board.ts';
import { installation } from './installation-board.ts';

export const boards: readonly Board[] = [installation, campaigns, callbacks];
