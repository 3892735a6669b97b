export const service = "https://api.example.test";
export const apiKey = "sk-4f9aQ2mZ81kLxT07bNcD";
