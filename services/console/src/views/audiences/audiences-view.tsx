import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { Page } from '../../frame/page.tsx';
import { useRefusal, useSession } from '../../frame/session/session.ts';
import { UploadForm } from '../../parts/audience/upload-list.tsx';
import { fileKey } from '../../parts/file-preview/use-file-preview.ts';
import { capitalize } from '../../parts/words/figures.ts';
import { AudienceFilters } from './audience-filters.tsx';
import { AudienceList } from './audience-list.tsx';
import { NewAudience } from './new/new-audience.tsx';
import { readSelected, type AudiencesSearch } from './search.ts';
import { SelectedAudience } from './selected-audience.tsx';
import { useAudiences } from './use-audiences.ts';

const route = getRouteApi('/audiences');

/**
 * View of the audiences of campaigns: uploaded lists, segments and combinations of both, and the campaigns that use
 * each.
 */
export function AudiencesView() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const refusal = useRefusal('manager');
  const [file, setFile] = useState<File | null>(null);
  const { audiences, counts } = useAudiences(search);
  const items = audiences.data?.items;
  const selected = readSelected(search) ?? items?.[0];
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
          selected={selected}
          onClear={() => void navigate({ search: {} })}
          onGo={(cursor) => change({ cursor })}
        />
        {selected && (
          <SelectedAudience
            key={`${selected.kind} ${selected.id}`}
            kind={selected.kind}
            id={selected.id}
            listed={items?.find(({ kind, id }) => kind === selected.kind && id === selected.id)}
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
      {capitalize(reason)}. Only segments that campaigns and saved audiences use are listed.
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
