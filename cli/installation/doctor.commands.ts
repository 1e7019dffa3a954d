import { byHand } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';

export const heading: Heading = 'Installation';

export const commands = byHand({
  name: 'doctor',
  description: 'what is here, what is missing, and how to get it',
  run: async ({ context }) => (await import('./doctor.ts')).runDoctor(context),
});
