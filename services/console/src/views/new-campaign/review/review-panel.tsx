import { Button } from '../../../parts/controls/button.tsx';
import { useRefusal } from '../../../frame/session/session.ts';
import { Icon } from '../../../parts/icon/icon.tsx';
import { useNow } from '../../../parts/browser/now.ts';
import { countOf } from '../../../parts/words/numbers.ts';
import { SkeletonBar } from '../../../parts/standing/skeleton.tsx';
import { formatDuration } from '../../../parts/times/times.ts';
import { problemOf } from '../../../api/problems.ts';
import { audienceSums } from '../../../parts/campaign/arithmetic.ts';
import { formatPlace } from '../../../parts/campaign/places.ts';
import { ChosenOptions } from './chosen-options.tsx';
import { describeProblem } from '../form/describe-problem.ts';
import { isSizeWarning, describeLoad, describeWarnings } from './review-lines.ts';
import type { Editor } from '../form/use-editor.ts';
import { withTitles } from '../../../parts/words/action-titles.ts';

export function ReviewPanel({ editor, onShow }: { editor: Editor; onShow: (pointer: string) => void }) {
  const { preview, isBehind, error, look } = editor.standing;
  const refusal = useRefusal('manager');
  return (
    <aside
      className="panel sticky top-16 max-h-[calc(100vh_-_80px)] overflow-y-auto scroll-mt-16 max-[960px]:static max-[960px]:max-h-none"
      id="review"
      aria-labelledby="review-title"
    >
      <header>
        <h2 id="review-title">Review</h2>
        <div className="ml-auto">
          {refusal === undefined && <PreviewAge asOf={preview?.asOf} isBehind={isBehind} />}
          <Button small icon="retry" label="Estimate again" refusal={refusal} onClick={look} />
        </div>
      </header>
      <div className="pad grid gap-3">
        {error !== null && <EstimateFailed error={error} />}
        {refusal === undefined ? (
          preview ? (
            <AudienceSums editor={editor} />
          ) : (
            error === null && <SumsSkeleton />
          )
        ) : (
          <p className="row gap-1 t2 sm">
            <Icon name="lock" size={14} />
            {refusal}. Only keys that may create campaigns get estimates.
          </p>
        )}
        <ChosenOptions editor={editor} />
        <WarningList editor={editor} onShow={onShow} />
        <BlockingProblems editor={editor} onShow={onShow} />
      </div>
    </aside>
  );
}

function PreviewAge({ asOf, isBehind }: { asOf: string | undefined; isBehind: boolean }) {
  const now = useNow();
  const ageMs = asOf === undefined ? 0 : Math.max(0, now - Date.parse(asOf));
  const text =
    asOf === undefined || isBehind
      ? 'estimating…'
      : `estimated ${ageMs < 1000 ? 'now' : `${formatDuration(ageMs)} ago`}`;
  return (
    <span className="t3 sm" role="status">
      {text}
    </span>
  );
}

function EstimateFailed({ error }: { error: unknown }) {
  const { detail } = problemOf(error);
  return (
    <div className="banner bad note" role="alert">
      <Icon name="failed" />
      <div className="sm">
        <b>The estimate failed</b>
        <br />
        {detail}. Your input is kept and can be saved.
      </div>
    </div>
  );
}

function SumsSkeleton() {
  return (
    <div className="grid gap-3.5 py-1.5" aria-hidden="true">
      {[150, 120, 170, 140].map((width) => (
        <SkeletonBar key={width} width={width} />
      ))}
    </div>
  );
}

function AudienceSums({ editor: { standing, definition, size } }: { editor: Editor }) {
  const { preview } = standing;
  if (!preview) return null;
  if (size === null) {
    return <p className="t2 sm">Add countries and sources to see the number of users here.</p>;
  }
  const lines = describeLoad(preview, definition);
  return (
    <>
      <table className={standing.isBehind ? 'sums t3' : 'sums'} aria-busy={standing.isBehind}>
        <caption className="sr-only">Calculation of the audience, in users</caption>
        <tbody>
          {audienceSums(preview, size, definition.canary).map(({ label, value, kind }) => (
            <tr key={label} className={kind === 'sum' ? 'sum' : undefined}>
              <th scope="row" className={kind === 'aside' ? 't2' : undefined}>
                {label}
              </th>
              <td className={kind === 'aside' ? 'text-right t2' : 'text-right'}>{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {lines.length > 0 && (
        <dl className="grid gap-1.25 sm">
          {lines.map(({ name, text, isWarning }) => (
            <div key={name} className="flex justify-between gap-3">
              <dt className="flex-none text-faint">{name}</dt>
              <dd className={`min-w-0 text-right ${isWarning === true ? 'c-warn' : ''}`}>{text}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}

interface ProblemListProps {
  editor: Editor;
  onShow: (pointer: string) => void;
}

function WarningList({ editor: { standing, definition, warnings }, onShow }: ProblemListProps) {
  const own = standing.preview ? describeWarnings(standing.preview, definition) : [];
  return (
    <>
      {warnings
        .filter((warning) => !isSizeWarning(warning))
        .map(({ pointer, detail }) => (
          <div key={`${pointer} ${detail}`} className="banner note">
            <Icon name="warn" />
            <div className="sm">
              <button type="button" className="link" onClick={() => onShow(pointer)}>
                {formatPlace(pointer)}
              </button>
              : {withTitles(detail)}.
            </div>
          </div>
        ))}
      {own.map((text) => (
        <div key={text} className="banner note">
          <Icon name="warn" />
          <div className="sm">{text}</div>
        </div>
      ))}
    </>
  );
}

const maxListed = 6;

function BlockingProblems({ editor: { problems, definition, standing, isTried }, onShow }: ProblemListProps) {
  if (problems.length === 0) {
    if (!standing.preview || standing.isBehind) return null;
    return (
      <p className="row sm c-ok gap-1.5">
        <Icon name="done" size={14} />
        Ready to start.
      </p>
    );
  }
  const described = problems.map((problem) => ({ pointer: problem.pointer, ...describeProblem(problem, definition) }));
  return (
    <div className={`banner ${isTried ? 'bad' : 'info'} note`}>
      <Icon name={isTried ? 'failed' : 'info'} />
      <div className="sm">
        <b>
          {isTried
            ? `${countOf(problems.length, 'problem')} to solve before you can start`
            : 'Required before you can start'}
        </b>
        <ul>
          {described.slice(0, maxListed).map(({ pointer, lead, rest }) => (
            <li key={`${pointer} ${lead} ${rest}`}>
              <button type="button" className="link" onClick={() => onShow(pointer)}>
                {lead}
              </button>
              {rest !== '' && <span className="t2"> {shorten(rest)}</span>}
            </li>
          ))}
          {problems.length > maxListed && <li className="t2">and {problems.length - maxListed} more</li>}
        </ul>
      </div>
    </div>
  );
}

function shorten(detail: string): string {
  return detail.length <= 90 ? detail : `${detail.slice(0, 88)}…`;
}
