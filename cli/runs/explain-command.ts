import { explain } from './figures-commands.ts';

export const commands = [explain];
