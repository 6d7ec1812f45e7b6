curl -fsS -H "Authorization: Bearer $TOKEN" -o schema.graphql "${GATEWAY_URL:-http://127.0.0.1:4000}/schema.graphql"
