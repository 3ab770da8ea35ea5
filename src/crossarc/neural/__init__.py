"""Networks without a framework: layers with their gradients, an encoder of sentences, heads for arcs and labels."""
