import './theme/styles.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { configureClient } from './api/client.ts';
import { App } from './app.tsx';
import { createConsole } from './create-console.ts';

configureClient();

const place = document.getElementById('root');
if (!place) throw new Error('the page has no element "root"');
createRoot(place).render(
  <StrictMode>
    <App {...createConsole()} />
  </StrictMode>,
);
