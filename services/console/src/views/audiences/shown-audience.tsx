import { useQuery } from '@tanstack/react-query';
import { getAudienceOptions, listAudiencesOptions } from '#client/@tanstack/react-query.gen.ts';
import type { ListedAudience } from '#client/types.gen.ts';
import { useKeptError } from '../../api/kept-error.ts';
import { Empty, Failed } from '../../parts/standing/states.tsx';
import { AudienceDetail } from './audience-detail.tsx';
import { SavedDetail } from './saved/saved-detail.tsx';
import type { AudienceKind } from './search.ts';
import { SegmentDetail } from './segment-detail.tsx';

interface ShownAudienceProps {
  kind: AudienceKind;
  id: string;
  /** The audience from the list; undefined if it is not on the current page of the list. */
  listed: ListedAudience | undefined;
  refusal: string | undefined;
  onGone: () => Promise<void>;
  /** Called with a file to upload; undefined if the user may not upload. */
  onFile: ((file: File) => void) | undefined;
}

const lookEveryMs = 10_000;

export function ShownAudience({ kind, ...shown }: ShownAudienceProps) {
  return kind === 'segment' ? <ShownSegment {...shown} /> : <ShownById kind={kind} {...shown} />;
}

type ShownProps = Omit<ShownAudienceProps, 'kind'>;

const titles = { list: 'The list could not be read', saved: 'The saved audience could not be read' } as const;

function ShownById({ kind, id, listed, refusal, onGone, onFile }: ShownProps & { kind: 'list' | 'saved' }) {
  const isList = kind === 'list';
  const found = useQuery({ ...getAudienceOptions({ path: { id } }), refetchInterval: isList && lookEveryMs });
  const { data: named } = useListed('saved', id, listed, !isList);
  const error = useKeptError(found);
  if (found.data?.kind === 'list') return <AudienceDetail audience={found.data} {...{ refusal, onGone, onFile }} />;
  // The listed audience shows whether a count exists: wait for it before an estimate is requested.
  if (found.data && named !== undefined)
    return <SavedDetail saved={found.data} size={named?.size ?? null} {...{ onGone, onFile }} />;
  if (error === null) return null;
  return <Failed title={titles[kind]} error={error} onRetry={() => void found.refetch()} />;
}

/** Returns the audience from the list, else requests it. Data is null if there is none, undefined before. */
function useListed(kind: 'saved' | 'segment', id: string, listed: ListedAudience | undefined, enabled = true) {
  const query = { id, kind, limit: 1 };
  const found = useQuery({ ...listAudiencesOptions({ query }), enabled: enabled && listed === undefined });
  const error = useKeptError(found);
  const isKnown = found.data !== undefined || error !== null;
  const answer = found.data?.items.find((each) => each.id === id) ?? (isKnown ? null : undefined);
  return { data: listed ?? answer, error, retry: () => void found.refetch() };
}

function ShownSegment({ id, listed }: ShownProps) {
  const { data: segment, error, retry } = useListed('segment', id, listed);
  if (segment) return <SegmentDetail segment={segment} />;
  if (error !== null) return <Failed title="The segment could not be read" error={error} onRetry={retry} />;
  if (segment === undefined) return null;
  return (
    <section className="panel" aria-label="Segment">
      <Empty icon="users" title="No such segment">
        Neither a campaign nor a saved audience names “{id}”, and the segmentation service does not offer it.
      </Empty>
    </section>
  );
}
