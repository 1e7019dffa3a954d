import { Button } from '../../parts/controls/button.tsx';
import { countOf, formatCount } from '../../parts/words/numbers.ts';
import type { BulkVerb } from './bulk.ts';

export interface Selection {
  /** Maps the id of each chosen job to its client. */
  jobs: ReadonlyMap<string, string>;
  /** True if all matching jobs on all pages are chosen. */
  isAll: boolean;
}

export const noSelection: Selection = { jobs: new Map(), isAll: false };

interface SelectionBarProps {
  selection: Selection;
  verbs: readonly BulkVerb[];
  refusal: string | undefined;
  /** Number of matching jobs; undefined if it is not counted. */
  total: number | undefined;
  /** Reason why not all matching jobs can be chosen; null if they can. */
  selectAllRefusal: string | null;
  onSelect: (selection: Selection) => void;
  onVerb: (verb: BulkVerb) => void;
}

const buttons = {
  'run-now': { icon: 'play', words: 'Run now…' },
  reschedule: { icon: 'sched', words: 'Reschedule…' },
  cancel: { icon: 'x', words: 'Cancel…' },
  resend: { icon: 'retry', words: 'Send again…' },
} as const;

export function SelectionBar(props: SelectionBarProps) {
  const { selection, verbs, refusal, total, selectAllRefusal, onSelect, onVerb } = props;
  const { jobs, isAll } = selection;
  return (
    <div className="row flex-wrap py-1.75 px-4 border-b border-line bg-(--accent-bg)" role="status">
      {isAll ? (
        <>
          <b>{total === undefined ? 'All matching jobs' : `All ${formatCount(total)} matching jobs`}</b>
          <span className="t2">selected, including other pages.</span>
          <button type="button" className="link" onClick={() => onSelect({ jobs, isAll: false })}>
            Only the {formatCount(jobs.size)} selected one by one
          </button>
        </>
      ) : (
        <>
          <b>{countOf(jobs.size, 'job')}</b>
          <span className="t2">selected.</span>
          {selectAllRefusal === null ? (
            <button type="button" className="link" onClick={() => onSelect({ jobs, isAll: true })}>
              {total === undefined ? 'All that match' : `All ${formatCount(total)} that match`}
            </button>
          ) : (
            <span className="t3 sm wide">{selectAllRefusal}</span>
          )}
          <button type="button" className="link" onClick={() => onSelect(noSelection)}>
            Clear selection
          </button>
        </>
      )}
      <span className="ml-auto row flex-wrap">
        {verbs.map((verb) => (
          <Button
            key={verb}
            small
            icon={buttons[verb].icon}
            kind={verb === 'cancel' ? 'bad' : 'plain'}
            refusal={refusal}
            onClick={() => onVerb(verb)}
          >
            {buttons[verb].words}
          </Button>
        ))}
      </span>
    </div>
  );
}
