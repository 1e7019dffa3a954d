import { flag, number, several, text, whole } from '../frame/options.ts';

/** Fields of a definition that are sent unchanged. */
export const plainFields = {
  deadlineSeconds: whole('--deadline-seconds <n>', 'users who are not called by then expire'),
  priority: text('--priority <priority>', 'low, normal or high'),
  paceUsersPerSecond: whole('--pace <n>', 'maximum users per second'),
  pauseAtFailedPercent: number('--pause-at-failed <percent>', 'pause the run above this share of failed users'),
};

export const aboutOptions = {
  description: text('--description <text>', 'purpose, for people'),
  owner: text('--owner <name>', 'team or person to contact'),
  tag: several('--tag <tag>', 'tag, for searches; repeatable'),
  metadata: several('--metadata <key=value>', 'key and value, for searches, such as ticket=MKT-1204; repeatable'),
};

export const canaryOptions = {
  canary: text(
    '--canary <users|percent%>',
    'users of a canary, such as 1000 or 5%; then the run pauses until you resume it',
  ),
  canaryChoose: flag('--canary-choose', 'only the canary gets the variants; then you choose one for all other users'),
  canaryMaxFailed: number('--canary-max-failed <percent>', 'do not pause if at most this share of the canary failed'),
};

export const definitionOptions = {
  file: text('-f, --file <path>', 'the definition as JSON; - reads standard input'),
  name: text('--name <name>'),
  segment: several('--segment <id>', 'users of a segment; repeatable, like the next five options'),
  list: several('--list <aud_…>', 'users of an uploaded list'),
  run: several('--run <run_…[:outcomes][@step]>', 'users of an earlier run, such as run_1:failed,unknown'),
  excludeSegment: several('--exclude-segment <id>', 'exclude users of a segment'),
  excludeList: several('--exclude-list <aud_…>', 'exclude users of an uploaded list'),
  excludeRun: several('--exclude-run <run_…[:outcomes][@step]>', 'exclude users of an earlier run'),
  savedAudience: text(
    '--saved-audience <sav_…>',
    'copy the current sources of a saved audience, instead of these six options',
  ),
  holdOut: number('--hold-out <percent>', 'percent of the audience that gets nothing'),
  holdOutSeed: text('--hold-out-seed <text>', 'seed of the hold-out group: the same seed holds out the same users'),
  countries: text('--countries <list>', 'country codes, such as SG,ID,VN'),
  action: several(
    '--action <type[=params]>',
    'a step with its parameters; repeatable, in order: award-reward=\'{"units":2}\'',
  ),
  variant: several(
    '--variant <[step:]name[@percent][=params]>',
    'a variant of a step, by default of the first, with its share and its own parameters; repeatable: A@50=\'{"units":2}\', 2:A for step 2',
  ),
  splitSeed: text(
    '--split-seed <text>',
    'seed of the variants: the same seed puts the same users into the same variants',
  ),
  at: text('--at <time>', 'start time: RFC 3339, or a local time with --zone; by default at once'),
  local: text('--local <time>', 'instead: start at this local time in each country'),
  countryZone: several(
    '--country-zone <country=zone>',
    'with --local: time zone of a country with several: US=America/New_York',
  ),
  cron: text('--cron <fields>', 'instead: a recurring campaign, such as "0 9 * * MON"'),
  everySeconds: whole('--every-seconds <n>', 'instead: a recurring campaign with this interval'),
  zone: text('--zone <zone>', 'IANA time zone of --at or --cron, such as Asia/Singapore'),
  from: text('--from <time>', 'recurring: no occurrence before this time'),
  until: text('--until <time>', 'recurring: no occurrence after this time; the rest of its run is cancelled then'),
  misfire: text('--misfire <policy>', 'after missed occurrences: fire-once, fire-all or skip'),
  catchUpSeconds: whole('--catch-up-seconds <n>', 'maximum delay of a missed start; a later start does not happen'),
  overlap: text('--overlap <policy>', 'while the previous run is in progress: skip, buffer-one or allow'),
  ...plainFields,
  ...canaryOptions,
  ...aboutOptions,
  budget: several(
    '--budget <country=units>',
    'budget of all runs in a country: SG=1000 units, or SG=5000EUR; repeatable',
  ),
  unitsPerUser: several(
    '--units-per-user <[step=]n>',
    'units that a user costs, by default in the first step: 2=5 for step 2; repeatable',
  ),
};
