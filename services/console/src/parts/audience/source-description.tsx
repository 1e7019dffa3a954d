import type { UploadedAudience, Run } from '#client/types.gen.ts';
import { Time } from '../times/time.tsx';
import { countOf, formatCount } from '../words/numbers.ts';
import { shortId } from '../controls/copy-button.tsx';
import type { SourceForm } from './source-form.ts';
import { formatOutcomes } from './sources.ts';
import { RejectedLinesButton } from './rejected-lines-button.tsx';

interface SourceWordsProps {
  source: SourceForm;
  lists: readonly UploadedAudience[];
  runs: readonly Run[];
}

export function SourceDescription({ source, lists, runs }: SourceWordsProps) {
  switch (source.kind) {
    case 'segment':
      return (
        <>
          <b className="font-medium">{source.segment}</b> <span className="t3">segment</span>
        </>
      );
    case 'list': {
      const list = lists.find(({ id }) => id === source.list);
      return (
        <>
          <b className="font-medium">{list?.name ?? shortId(source.list)}</b>{' '}
          <span className="t3">list{list && `, ${countOf(list.rows, 'row')}`}</span>
        </>
      );
    }
    case 'run': {
      const run = runs.find(({ runId }) => runId === source.runId);
      return (
        <>
          <b className="font-medium">{run?.campaignName ?? shortId(source.runId)}</b>{' '}
          <span className="t3">
            run
            {run && (
              <>
                {' '}
                of <Time instant={run.scheduledFor} />
              </>
            )}
            , {formatOutcomes(source.outcomes, source.step)}
          </span>
        </>
      );
    }
  }
}

/**
 * Size of a source, such as `41,022 users · 171 repeated · 13 rejected lines`, or `1,438,900 estimated`. Empty before a
 * size is known.
 */
export function SourceUsers({
  source,
  lists,
  users,
}: Omit<SourceWordsProps, 'runs'> & { users: number | null | undefined }) {
  if (users === undefined) return null;
  if (users === null) return <span className="t3">not known</span>;
  const list = source.kind === 'list' ? lists.find(({ id }) => id === source.list) : undefined;
  const word = source.kind === 'segment' ? 'estimated' : users === 1 ? 'user' : 'users';
  return (
    <>
      {formatCount(users)} {word}
      {list && list.duplicates > 0 && ` · ${formatCount(list.duplicates)} repeated`}
      {list && list.rejected > 0 && (
        <>
          {' · '}
          <RejectedLinesButton list={list} />
        </>
      )}
    </>
  );
}
