import { useState, type ReactNode } from 'react';
import type { ExactCount } from '#client/types.gen.ts';
import { Button } from '../controls/button.tsx';
import { entryOf } from './source-form.ts';
import type { SourceForm } from './source-form.ts';
import { Time } from '../times/time.tsx';
import { formatCount, formatShare } from '../words/numbers.ts';
import { AddSource } from './add-source.tsx';
import { overlapOf } from './count-texts.ts';
import { CountRefused } from './exact-count.tsx';
import { SourceDescription } from './source-description.tsx';
import { isCountRunning, useExactCount, type CountQuestion } from './use-exact-count.ts';
import { useEarlierRuns, useLists, useNamedSources } from './use-sources.ts';

interface OverlapProps {
  question: Omit<CountQuestion, 'with'>;
  refusal: string | undefined;
  missing?: string | undefined;
}

/** Overlap of an audience with another source: the user chooses the source, and three numbers show the result. */
export function Overlap({ question, ...why }: OverlapProps) {
  const lists = useLists();
  const runs = useEarlierRuns();
  const count = useExactCount();
  const refusal = why.refusal ?? why.missing;
  const [other, setOther] = useState<SourceForm | null>(null);
  const named = useNamedSources({ include: other === null ? [] : [entryOf(other)] });
  const { counted, error } = count;
  const questionFor = (source: SourceForm) => ({ ...question, with: { include: [entryOf(source)] } });
  const start = (source: SourceForm, isRepeat = false) => {
    setOther(source);
    count.start({ question: questionFor(source), recount: isRepeat });
  };
  const isOld = other !== null && counted !== undefined && !count.isOf(questionFor(other));
  return (
    <div className="grid gap-1 min-w-0">
      {other === null ? (
        refusal === undefined ? (
          <AddSource verb="Overlap with" {...{ lists, runs }} onAdd={(source) => start(source)} />
        ) : (
          <p className="t3 sm">{refusal}</p>
        )
      ) : (
        <div className="row flex-wrap gap-y-1">
          <span className="grow basis-40 min-w-0 wrap-anywhere">
            With <SourceDescription source={other} {...named} />
          </span>
          {counted && isCountRunning(counted) ? (
            <Button small refusal={refusal} onClick={() => count.cancel(counted)}>
              Cancel
            </Button>
          ) : (
            <Button small refusal={refusal} disabled={count.isUnderWay} onClick={() => start(other, !isOld)}>
              Count again
            </Button>
          )}
          <Button
            small
            kind="ghost"
            onClick={() => {
              setOther(null);
              count.forget();
            }}
          >
            Another
          </Button>
        </div>
      )}
      {other !== null && counted && <ThreeNumbers counted={counted} isOld={isOld} />}
      {error !== null && <CountRefused error={error} />}
    </div>
  );
}

function ThreeNumbers({ counted, isOld }: { counted: ExactCount; isOld: boolean }) {
  const { state, cause, users, startedAt, requestedAt } = counted;
  const overlap = overlapOf(counted);
  if (state === 'failed') return <p className="c-bad sm">The count failed: {cause ?? 'unknown cause'}.</p>;
  if (state === 'cancelled' || overlap === null) return <p className="t3 sm">The count was cancelled.</p>;
  const { onlyHere, both, onlyThere } = overlap;
  const all = onlyHere + both + onlyThere;
  const words = `${formatCount(onlyHere)} only here, ${formatCount(both)} in both, ${formatCount(onlyThere)} only there`;
  return (
    <div className={isOld ? 'sm t3' : 'sm'} role="status">
      {all > 0 && (
        <div className="bar l my-1.5" role="img" aria-label={words}>
          {onlyHere > 0 && <i className={colours.onlyHere} style={{ flexGrow: (1000 * onlyHere) / all }} />}
          {both > 0 && <i className={colours.both} style={{ flexGrow: (1000 * both) / all }} />}
          {onlyThere > 0 && <i className={colours.onlyThere} style={{ flexGrow: (1000 * onlyThere) / all }} />}
        </div>
      )}
      <dl className="grid gap-1">
        <Figure label="only here" colour={colours.onlyHere}>
          {formatCount(onlyHere)}
        </Figure>
        <Figure label="in both" colour={colours.both} isMain>
          {formatCount(both)}
        </Figure>
        <Figure label="only there" colour={colours.onlyThere}>
          {formatCount(onlyThere)}
        </Figure>
      </dl>
      <p className="t3 mt-1">
        {isCountRunning(counted) ? (
          (cause ?? 'So far; the count is still running')
        ) : (
          <>
            {users > 0 && `${formatShare(both, users)} of these are in both. `}
            Counted exactly as of <Time instant={startedAt ?? requestedAt} withSeconds />
            {isOld && ', before your last change'}.
          </>
        )}
      </p>
    </div>
  );
}

const colours = { onlyHere: 'bg-(--o-suppressed)', both: 'bg-(--ink)', onlyThere: 'bg-track' } as const;

interface FigureProps {
  label: string;
  colour: string;
  isMain?: boolean;
  children: ReactNode;
}

function Figure({ label, colour, isMain = false, children }: FigureProps) {
  return (
    <div className={`flex items-baseline justify-between gap-2 ${isMain ? 'font-semibold' : ''}`}>
      <dt className="key">
        <i className={colour} aria-hidden="true" />
        {label}
      </dt>
      <dd className="tabular-nums">{children}</dd>
    </div>
  );
}
