import { byHand } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';

export const heading: Heading = 'Installation';

export const commands = byHand({
  name: 'doctor',
  description: 'check the requirements, and show how to install what is missing',
  run: async ({ context }) => (await import('./doctor/doctor.ts')).runDoctor(context),
});
