import { number, several, text, whole } from '../frame/options.ts';

/** Fields of a definition that are sent unchanged. */
export const plainFields = {
  deadlineSeconds: whole('--deadline-seconds <n>', 'what is not begun by then expires'),
  priority: text('--priority <priority>', 'low, normal or high'),
  paceUsersPerSecond: whole('--pace <n>', 'users per second at most'),
  pauseAtFailedPercent: number('--pause-at-failed <percent>', 'a run pauses itself above this share of failed users'),
};

export const aboutOptions = {
  description: text('--description <text>', 'what it is for'),
  owner: text('--owner <name>', 'the team or the person to ask about it'),
  tag: several('--tag <tag>', 'to find it by; repeatable'),
  metadata: several('--metadata <key=value>', 'the same, such as ticket=MKT-1204; repeatable'),
};

export const canaryOptions = {
  canary: text('--canary <users|percent%>', 'so many first, such as 1000 or 5%, then a pause until it is resumed'),
  canaryMaxFailed: number('--canary-max-failed <percent>', 'no pause where no larger share of them failed'),
};

export const definitionOptions = {
  file: text('-f, --file <path>', 'the definition as JSON; - reads standard input'),
  name: text('--name <name>'),
  segment: several('--segment <id>', 'who: a segment of the segmentation service; repeatable, as are the next five'),
  list: several('--list <aud_…>', 'who: an uploaded list'),
  run: several('--run <run_…[:outcomes][@step]>', 'who: users of an earlier run, such as run_1:failed,unknown'),
  excludeSegment: several('--exclude-segment <id>', 'and nobody who is in this segment'),
  excludeList: several('--exclude-list <aud_…>', 'nor in this list'),
  excludeRun: several('--exclude-run <run_…[:outcomes][@step]>', 'nor among these users of an earlier run'),
  savedAudience: text('--saved-audience <sav_…>', 'who: a copy of its sources as they are now, instead of the six'),
  holdOut: number('--hold-out <percent>', 'of the audience, so many get nothing'),
  holdOutSeed: text('--hold-out-seed <text>', 'the same seed holds out the same users'),
  countries: text('--countries <list>', 'where: country codes, such as SG,ID,VN'),
  action: several('--action <type[=params]>', 'what, in order; repeatable: award-reward=\'{"units":2}\''),
  at: text('--at <time>', 'when: RFC 3339, or a local time with --zone; otherwise as soon as it is started'),
  local: text('--local <time>', 'instead: a local time in each country, in which each begins'),
  countryZone: several('--country-zone <country=zone>', 'for --local where a country has several: US=America/New_York'),
  cron: text('--cron <fields>', 'instead: a run each time, such as "0 9 * * MON"'),
  everySeconds: whole('--every-seconds <n>', 'instead: a run so often'),
  zone: text('--zone <zone>', 'the IANA zone of --at or --cron, such as Asia/Singapore'),
  from: text('--from <time>', 'what recurs begins then'),
  until: text('--until <time>', 'and ends then; what of its run has not been sent by then is cancelled'),
  misfire: text('--misfire <policy>', 'when runs were missed: fire-once, fire-all or skip'),
  catchUpSeconds: whole('--catch-up-seconds <n>', 'a start that was missed for longer does not happen'),
  overlap: text('--overlap <policy>', 'while the run before goes on: skip, buffer-one or allow'),
  ...plainFields,
  ...canaryOptions,
  ...aboutOptions,
  budget: several(
    '--budget <country=units>',
    'all runs together may spend so much there: SG=1000, or SG=5000EUR; repeatable',
  ),
  unitsPerUser: several(
    '--units-per-user <[step=]n>',
    'what a user costs, in the first step unless said: 2=5; repeatable',
  ),
};
