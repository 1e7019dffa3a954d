import { useState } from 'react';
import { useRefusal } from '../../../frame/session/session.ts';
import { useFileChoice } from '../../../parts/audience/upload-list.tsx';
import { Button } from '../../../parts/controls/button.tsx';
import { Menu, MenuItem } from '../../../parts/overlays/menu.tsx';
import { AudienceForm } from './audience-form.tsx';

interface NewAudienceProps {
  onFile: (file: File) => void;
  onSaved: (id: string) => void;
}

export function NewAudience({ onFile, onSaved }: NewAudienceProps) {
  const refusal = useRefusal('manager');
  const { choose, input } = useFileChoice(onFile);
  const [isFormOpen, setFormOpen] = useState(false);
  return (
    <>
      <Button icon="up" className="wide" refusal={refusal} onClick={choose}>
        Upload a list
      </Button>
      {input}
      {refusal === undefined && (
        <Menu
          target={(target) => (
            <Button {...target} kind="ink" icon="plus">
              <span className="wide">New audience</span>
              <span className="narrow">New</span>
            </Button>
          )}
        >
          <MenuItem onClick={() => setFormOpen(true)}>Combine sources…</MenuItem>
          <MenuItem onClick={choose}>Upload a list…</MenuItem>
        </Menu>
      )}
      {isFormOpen && (
        <AudienceForm
          onClose={() => setFormOpen(false)}
          onSaved={(id) => {
            setFormOpen(false);
            onSaved(id);
          }}
        />
      )}
    </>
  );
}
