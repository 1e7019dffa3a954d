/** Headings of `muster --help` in order. Each command's file exports its heading. */
export const headings = [
  'Trying it out',
  'Installation',
  'Campaigns',
  'Audiences',
  'Runs',
  'Callbacks',
  'Notifications',
  'Access',
] as const;

export type Heading = (typeof headings)[number];
