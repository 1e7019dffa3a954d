import { faultControls } from './fault-controls.ts';
import type { Mutation } from './mutation.ts';

export const gateMutations: readonly Mutation[] = [
  {
    ...faultControls.holdsEndAlone,
    project: 'unit',
    noticedBy: ['services/worker/gates/fault-in-quiet-hours'],
  },
  {
    takesAway: 'a hold that is over is written anew if its step meets the same quiet hours',
    edits: [{ text: 'current?.cause !== cause || current.tryDue', replacement: 'current?.cause !== cause' }],
    project: 'unit',
    noticedBy: ['services/worker/gates/quiet-hours'],
  },
  {
    takesAway: 'the try of a fault is taken after all gates that may put the batch back',
    edits: [
      { text: '  hold,\n  quietHoursGate,', replacement: '  hold,\n  faultTry,\n  quietHoursGate,' },
      { text: '  suspect,\n  faultTry,', replacement: '  suspect,' },
    ],
    project: 'unit',
    noticedBy: ['services/worker/gates/fault-try'],
  },
  {
    takesAway: 'a batch of a step with a fault is not dropped in quiet hours',
    edits: [
      {
        text: "fault.current === null ? quiet.then : 'wait'",
        replacement: 'fault.current === null ? quiet.then : quiet.then',
      },
    ],
    project: 'unit',
    noticedBy: ['services/worker/gates/fault-in-quiet-hours'],
  },
  {
    takesAway: 'a suspect that is put back lets the next one in',
    edits: [{ text: '    deps.suspects.leave(work);\n    return withoutCall', replacement: '    return withoutCall' }],
    project: 'unit',
    noticedBy: ['services/worker/gates/suspect'],
  },
  {
    takesAway: 'a change of quiet hours leaves the faults of all steps',
    edits: [
      {
        text: "delete from holds where kind = 'quiet-hours' and until > now() returning",
        replacement: 'delete from holds returning',
      },
    ],
    project: 'integration',
    noticedBy: ['quiet-hours-routes'],
  },
  {
    takesAway: 'a hold ends alone, not with those of other kinds',
    edits: [
      {
        text: "and step = ${$('step')} and kind = ${$('kind')}`,",
        replacement: "and step = ${$('step')} and ${$('kind')} <> ''`,",
      },
    ],
    project: 'integration',
    noticedBy: ['execution-path'],
  },
];
