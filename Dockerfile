# Builds with the development packages, runs without them, as a user that owns nothing.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.json tsconfig.build.json ./
COPY scripts/check-node.js scripts/bundle.js scripts/html-pages.js ./scripts/
COPY src ./src
COPY schema ./schema
COPY examples ./examples
COPY docs ./docs
COPY *.md ./
# `prepare` builds `dist`, the demo's page included.
RUN npm ci --no-audit --no-fund

FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json ./
COPY schema ./schema
COPY src/adapters/postgres/citus.sql ./src/adapters/postgres/
USER node
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Not npm: signals reach the server itself. It takes DRAIN_DELAY (5 s) and up to 10 s to end: `docker stop --time 15`.
CMD ["node", "dist/main.js"]
