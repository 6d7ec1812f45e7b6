import { ApolloProvider } from '@apollo/client/react';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { client } from './api/client.ts';
import { App } from './app.tsx';
import '@fullcalendar/react/skeleton.css';
import './styles/base.css';
import './styles/controls.css';
import './styles/calendar.css';
import './styles/editor.css';
import './styles/calendars.css';
import './styles/storage.css';

// Starts the page in the element that index.html has for it.
const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <ApolloProvider client={client}>
        <App />
      </ApolloProvider>
    </StrictMode>,
  );
}
