import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { Page } from '../../frame/page.tsx';
import { useRefusal, useSession } from '../../frame/session/session.ts';
import { UploadForm } from '../../parts/audience/upload-list.tsx';
import { fileKey } from '../../parts/file-preview/use-file-preview.ts';
import { capitalOf } from '../../parts/words/figures.ts';
import { AudienceFilters } from './audience-filters.tsx';
import { AudienceList } from './audience-list.tsx';
import { NewAudience } from './new/new-audience.tsx';
import { shownOf, type AudiencesSearch } from './search.ts';
import { ShownAudience } from './shown-audience.tsx';
import { useAudiences } from './use-audiences.ts';

const route = getRouteApi('/audiences');

/** Audiences of campaigns: uploaded lists, segments and combinations of them, and what uses each. */
export function AudiencesView() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const refusal = useRefusal('manager');
  const [file, setFile] = useState<File | null>(null);
  const { audiences, counts } = useAudiences(search);
  const items = audiences.data?.items;
  const shown = shownOf(search) ?? items?.[0];
  const change = (part: Partial<AudiencesSearch>) =>
    void navigate({ search: (before) => ({ ...before, ...part, id: undefined, of: undefined }) });
  return (
    <Page
      title="Audiences"
      actions={<NewAudience onFile={setFile} onSaved={(id) => void navigate({ search: { id } })} />}
    >
      <AudienceFilters
        search={search}
        items={items}
        counts={counts}
        onChoose={(part) => change({ ...part, cursor: undefined })}
      />
      <UnavailableSegments reason={audiences.data?.unavailable ?? null} />
      {file !== null && (
        <UploadPanel
          key={fileKey(file)}
          file={file}
          onUploaded={(id) => void navigate({ search: { id } })}
          onEnd={() => setFile(null)}
        />
      )}
      <div className="grid grid-cols-[minmax(0,1fr)_488px] gap-4 items-start max-[1240px]:grid-cols-1">
        <AudienceList
          query={audiences}
          counts={counts}
          search={search}
          shown={shown}
          onClear={() => void navigate({ search: {} })}
          onGo={(cursor) => change({ cursor })}
        />
        {shown && (
          <ShownAudience
            key={`${shown.kind} ${shown.id}`}
            kind={shown.kind}
            id={shown.id}
            listed={items?.find(({ kind, id }) => kind === shown.kind && id === shown.id)}
            refusal={refusal}
            onFile={refusal === undefined ? setFile : undefined}
            onGone={() => navigate({ search: ({ id: _, of: __, ...rest }) => rest })}
          />
        )}
      </div>
    </Page>
  );
}

function UnavailableSegments({ reason }: { reason: string | null }) {
  if (reason === null) return null;
  return (
    <p className="t2 sm" role="status">
      {capitalOf(reason)}. Segments are those that campaigns and saved audiences name.
    </p>
  );
}

interface UploadPanelProps {
  file: File;
  onUploaded: (id: string) => void;
  onEnd: () => void;
}

function UploadPanel({ file, onUploaded, onEnd }: UploadPanelProps) {
  const { installation } = useSession();
  return (
    <section className="panel pad py-3 px-4" aria-label="Upload">
      <UploadForm
        file={file}
        countries={installation.countries ?? []}
        onUploaded={({ id }) => onUploaded(id)}
        onEnd={onEnd}
      />
    </section>
  );
}
