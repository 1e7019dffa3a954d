import type { ReactNode } from 'react';
import type { UploadedAudience, ExactCount, Run, SavedAudience, AudiencePreview } from '#client/types.gen.ts';
import { isCountRunning } from '../../../parts/audience/use-exact-count.ts';
import { formatAbout, userCountOf, formatCountKind, formatUserCount } from '../../../parts/audience/user-count.ts';
import type { SourceForm } from '../../../parts/audience/source-form.ts';
import { sourceOf } from '../../../parts/audience/source-form.ts';
import { formatOutcomes, usersOfSource } from '../../../parts/audience/sources.ts';
import { shortId } from '../../../parts/controls/copy-button.tsx';
import { Icon, type IconName } from '../../../parts/icon/icon.tsx';
import { Time } from '../../../parts/times/time.tsx';
import { countOf, formatCount } from '../../../parts/words/numbers.ts';
import { plainText } from '../../../parts/words/plain-text.ts';
import { truncateMiddle } from '../detail/audience-words.ts';
import { createSignedLines, sumLines, type SignedLine } from './signed-lines.ts';

interface SourcesTableProps {
  saved: SavedAudience;
  /** Exact count of the audience, also while it is under way. */
  counted: ExactCount | undefined;
  estimate: AudiencePreview | undefined;
  lists: readonly UploadedAudience[];
  runs: readonly Run[];
}

/** The sources as terms of a sum, if the audience was counted; else each source with its size. */
export function SourcesTable({ saved, counted, estimate, lists, runs }: SourcesTableProps) {
  const lines = counted && hasFigures(counted) ? createSignedLines(counted) : undefined;
  const size = estimate && userCountOf(estimate.users, estimate.asOf);
  const { include, exclude = [] } = saved.audience;
  const nameOf = (role: 'include' | 'exclude', index: number) => {
    const entry = (role === 'include' ? include : exclude)[index];
    return entry ? nameOfSource(sourceOf(entry), role === 'exclude', { lists, runs }) : undefined;
  };
  return (
    <>
      <table className="table-fixed border-t border-line [--row:30px]">
        <caption className="sr-only">Sources with their signs</caption>
        <colgroup>
          <col className="w-9" />
          <col />
          <col className="wide w-36" />
          <col className="w-26" />
        </colgroup>
        <thead className="sr-only">
          <tr>
            <th scope="col">Sign</th>
            <th scope="col">Source</th>
            <th scope="col">Kind</th>
            <th scope="col">Users</th>
          </tr>
        </thead>
        <tbody>
          {lines && counted ? (
            <>
              {lines.map((line) => (
                <Line
                  key={'index' in line ? `${line.part} ${line.index}` : line.part}
                  sign={line.sign}
                  {...wordsOf(line)}
                >
                  {formatCount(line.users)}
                </Line>
              ))}
              <Sum kind={isCountRunning(counted) ? 'so far' : <Check isRight={sumLines(lines) === counted.users} />}>
                {formatCount(counted.users)}
              </Sum>
            </>
          ) : (
            <>
              {include.map((entry, index) => (
                <Line key={`include ${index}`} sign="+" {...nameOf('include', index)}>
                  <Known users={usersOfSource(estimate, 'include', index)} isEstimate={'segment' in entry} />
                </Line>
              ))}
              {exclude.map((entry, index) => (
                <Line key={`exclude ${index}`} sign="−" {...nameOf('exclude', index)}>
                  <Known users={usersOfSource(estimate, 'exclude', index)} isEstimate={'segment' in entry} />
                </Line>
              ))}
              {size && <Sum kind={formatCountKind(size)}>{formatUserCount(size)}</Sum>}
            </>
          )}
        </tbody>
      </table>
      {!lines && <footer>{describeMissingSum(counted)}</footer>}
    </>
  );

  function wordsOf(line: SignedLine): LineWords | undefined {
    if ('index' in line) return nameOf(line.part, line.index);
    if (line.part === 'elsewhere') return { name: 'in another country too', kind: 'counted there' };
    return { name: include.length === 2 ? 'in both sources' : 'in several sources', kind: 'served once' };
  }
}

function hasFigures({ state }: ExactCount): boolean {
  return state === 'done' || state === 'running';
}

function describeMissingSum(counted: ExactCount | undefined): string {
  if (counted?.state === 'done')
    return 'This count has no figures by source. Count again to see how many users each source adds or removes.';
  return 'Count exactly to see how many users are in several sources and how many each exclusion removes.';
}

interface LineWords {
  icon?: IconName;
  name: ReactNode;
  title?: string;
  kind: ReactNode;
  /** True if the name is never truncated, because names differ at the end. */
  isWhole?: boolean;
}

const nameless: LineWords = { name: '', kind: '' };

function Line({ sign, children, ...words }: { sign: string; children: ReactNode } & Partial<LineWords>) {
  const { icon, name, title, kind, isWhole = false } = { ...nameless, ...words };
  const isAdded = sign === '+';
  return (
    <tr className={isAdded ? undefined : 't2'}>
      <Sign sign={sign} />
      <td>
        <span className="flex items-center gap-1.5 min-w-0">
          {icon && <Icon name={icon} size={14} className="t3 flex-none" />}
          <span className={`${isWhole ? 'py-1.5' : 'truncate'} ${isAdded ? 'font-medium' : ''}`} title={title}>
            {name}
          </span>
        </span>
      </td>
      <td className="t3 sm truncate wide" title={typeof kind === 'string' ? kind : undefined}>
        {kind}
      </td>
      <td className="text-right">{children}</td>
    </tr>
  );
}

const signWords = { '+': 'plus', '−': 'minus', '=': 'equals' };

function Sign({ sign }: { sign: string }) {
  const words = Object.entries(signWords).find(([each]) => each === sign)?.[1];
  return (
    <td className="t3">
      <span aria-hidden="true">{sign}</span>
      <span className="sr-only">{words}</span>
    </td>
  );
}

function Sum({ kind, children }: { kind: ReactNode; children: ReactNode }) {
  return (
    <tr className="sum">
      <Sign sign="=" />
      <td>Audience</td>
      <td className="sm wide t3 font-normal">{kind}</td>
      <td className="text-right">{children}</td>
    </tr>
  );
}

function Check({ isRight }: { isRight: boolean }) {
  return (
    <span className={`${isRight ? 'c-ok' : 'c-bad'} flex items-center gap-1.25`}>
      <Icon name={isRight ? 'check' : 'failed'} size={12} />
      {isRight ? 'adds up' : 'does not add up'}
    </span>
  );
}

function Known({ users, isEstimate }: { users: number | null | undefined; isEstimate: boolean }) {
  if (users === undefined) return null;
  if (users === null) return <span className="t3">not known</span>;
  return isEstimate ? formatAbout(users) : formatCount(users);
}

interface KnownSources {
  lists: readonly UploadedAudience[];
  runs: readonly Run[];
}

function nameOfSource(source: SourceForm, isLeftOut: boolean, { lists, runs }: KnownSources): LineWords {
  switch (source.kind) {
    case 'segment': {
      const title = plainText(source.segment);
      return { icon: 'users', name: title, title, kind: isLeftOut ? 'segment, excluded' : 'segment' };
    }
    case 'list': {
      const list = lists.find(({ id }) => id === source.list);
      const title = list ? plainText(list.name) : source.list;
      const rows = list ? `list of ${countOf(list.rows, 'line')}` : 'list';
      return {
        icon: 'audit' as const,
        name: list ? truncateMiddle(title, 22) : shortId(title),
        title,
        kind: isLeftOut ? 'list, excluded' : rows,
      };
    }
    case 'run': {
      const run = runs.find(({ runId }) => runId === source.runId);
      const outcomes = formatOutcomes(source.outcomes, source.step);
      if (!run)
        return { icon: 'campaign', name: `${shortId(source.runId)}, ${outcomes}`, kind: 'earlier run', isWhole: true };
      const name = (
        <>
          run of <Time instant={run.scheduledFor} />, {outcomes}
        </>
      );
      return { icon: 'campaign', name, kind: plainText(run.campaignName), isWhole: true };
    }
  }
}
