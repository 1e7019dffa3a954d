/** Headings of `muster --help`, in its order. The file of each command says which one it stands under. */
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
