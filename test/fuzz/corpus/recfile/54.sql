DROP TABLE symbol
